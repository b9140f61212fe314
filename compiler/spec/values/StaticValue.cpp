// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static values: conversions from and to JSON, texts for messages, and
// equality.

#include "compiler/spec/values/StaticValue.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace transfold::spec {

StaticValue::StaticValue() = default;
StaticValue::StaticValue(const StaticValue &) = default;
StaticValue::StaticValue(StaticValue &&) noexcept = default;
StaticValue &StaticValue::operator=(const StaticValue &) = default;
StaticValue &StaticValue::operator=(StaticValue &&) noexcept = default;
StaticValue::~StaticValue() = default;

StaticValue StaticValue::ofSize(const Dim &size) {
  if (auto number = size.asNumber())
    return StaticValue(*number);
  return StaticValue(Unknown{size, nullptr});
}

std::optional<int64_t> StaticValue::asInteger() const {
  if (auto *number = exact())
    return number->asInteger();
  return std::nullopt;
}

std::optional<Dim> StaticValue::asSize() const {
  if (auto *symbol = unknownValue())
    return symbol->size;
  if (auto number = asInteger(); number && *number >= 0)
    return Dim(*number);
  return std::nullopt;
}

double StaticValue::toDouble() const {
  if (auto *number = exact())
    return number->toDouble();
  return *inexact();
}

ExactScalar StaticValue::toExact() const {
  if (auto *number = exact())
    return *number;
  return exactOf(*inexact());
}

ExactScalar exactOf(double value) {
  if (!std::isfinite(value))
    throw std::domain_error("a constant is infinite or NaN");
  if (value == 0)
    return ExactScalar(int64_t(0));
  int exponent;
  // A double has 53 bits of mantissa, so the scaled mantissa is an integer.
  auto mantissa = int64_t(std::ldexp(std::frexp(value, &exponent), 53));
  auto power = ExactScalar(int64_t(2)).power({exponent - 53, 1});
  return ExactScalar(mantissa) * *power;
}

std::string StaticValue::str() const {
  if (isNone())
    return "none";
  if (auto *value = boolean())
    return *value ? "true" : "false";
  if (auto *value = exact())
    return value->str();
  if (auto *value = inexact())
    return fmt::format("{}", *value);
  if (auto *value = text())
    return *value;
  if (auto *symbol = unknownValue())
    return symbol->size     ? symbol->size->str()
           : symbol->number ? symbol->number->str({})
                            : "?";
  return toJson().dump();
}

std::string StaticValue::kind() const {
  if (isNone())
    return "none";
  if (boolean())
    return "true or false";
  if (isNumber())
    return "a number";
  if (text())
    return "a text";
  if (list())
    return "a list";
  if (record())
    return "a record";
  if (const Unknown *unknown = unknownValue(); unknown->number)
    return unknown->number->boolean ? "true or false" : "a number";
  else if (unknown->size)
    return "a number";
  return "unknown";
}

nlohmann::json StaticValue::toJson() const {
  if (auto *value = boolean())
    return *value;
  if (auto integer = asInteger())
    return *integer;
  if (isNumber())
    return toDouble();
  if (auto *value = text())
    return *value;
  if (auto *value = list()) {
    auto array = nlohmann::json::array();
    for (const StaticValue &element : **value)
      array.push_back(element.toJson());
    return array;
  }
  if (auto *value = record()) {
    if (value->object)
      return *value->object;
    auto object = nlohmann::json::object();
    for (const auto &[key, field] : *value->fields)
      object[key] = field.toJson();
    return object;
  }
  return nullptr;
}

StaticValue noneOf(std::vector<std::string> keys) {
  return None{
      std::make_shared<const std::vector<std::string>>(std::move(keys))};
}

StaticValue fromJson(const nlohmann::json &value, const std::string &path) {
  if (value.is_boolean())
    return StaticValue(value.get<bool>());
  if (value.is_number_unsigned()) {
    auto number = value.get<uint64_t>();
    if (number <= uint64_t(INT64_MAX))
      return StaticValue(int64_t(number));
    return StaticValue(*ExactScalar::parseDecimal(value.dump()));
  }
  if (value.is_number_integer())
    return StaticValue(value.get<int64_t>());
  if (value.is_number_float()) {
    // The shortest text that is parsed as this double is the text in the file:
    // 0.22 is 11/50.
    auto number = value.get<double>();
    if (auto exact = ExactScalar::parseDecimal(fmt::format("{}", number)))
      return StaticValue(*exact);
    return StaticValue(number);
  }
  if (value.is_string())
    return StaticValue(value.get<std::string>());
  if (value.is_array()) {
    auto elements = std::make_shared<std::vector<StaticValue>>();
    for (size_t k = 0; k < value.size(); ++k)
      elements->push_back(fromJson(value[k], path + std::to_string(k) + "."));
    return StaticValue(List(elements));
  }
  if (value.is_object())
    return StaticValue(Record{&value, path, nullptr});
  return StaticValue();
}

std::optional<bool> equal(const StaticValue &a, const StaticValue &b) {
  if (a.isUnknown() || b.isUnknown()) {
    // Sizes that are equal as polynomials are equal.
    auto left = a.asSize(), right = b.asSize();
    if (left && right && *left == *right)
      return true;
    return std::nullopt;
  }
  if (a.exact() && b.exact())
    return *a.exact() == *b.exact();
  if (a.isNumber() && b.isNumber())
    return a.toDouble() == b.toDouble();
  if (a.list() && b.list()) {
    if ((*a.list())->size() != (*b.list())->size())
      return false;
    for (size_t k = 0; k < (*a.list())->size(); ++k) {
      auto same = equal((**a.list())[k], (**b.list())[k]);
      if (!same || !*same)
        return same;
    }
    return true;
  }
  return a.toJson() == b.toJson();
}

} // namespace transfold::spec
