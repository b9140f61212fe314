// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a static expression is worth: numbers exact while they can be, texts,
// lists, records of the configuration, `none`. Without a checkpoint most
// constants have no value; what is known of them then is a size (a polynomial
// over named constants) or nothing.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_STATICVALUE_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_STATICVALUE_H

#include "compiler/spec/values/Dim.h"
#include "dialect/exact/ExactScalar.h"
#include "dialect/exact/IndexExpr.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::spec {

class StaticValue;

/// A JSON object with the place it has in its file, so that keys read of it are
/// known by their path; or a record that the spec wrote.
struct Record {
  const nlohmann::json *object = nullptr; // null: `fields`
  std::string path; // "rope_parameters.", "1_Pooling/config.json:"
  std::shared_ptr<std::map<std::string, StaticValue>> fields;
};

using List = std::shared_ptr<const std::vector<StaticValue>>;

/// No value is known before the program runs. As a size it is `size` where that
/// is known. `number` is what it is as a number, where it is made of lengths
/// and no size says so: √n, n / 2, n < 8.
struct Unknown {
  std::optional<Dim> size = {};
  IndexExprPtr number = {};
};

/// `none`, with the keys that would have given a value: "scaling.factor",
/// "generation_config.json:eos_token_id".
struct None {
  std::shared_ptr<const std::vector<std::string>> keys;
};

class StaticValue {
public:
  StaticValue() = default; // none
  StaticValue(None value) : content(std::move(value)) {}
  StaticValue(bool value) : content(value) {}
  StaticValue(ExactScalar value) : content(std::move(value)) {}
  StaticValue(int64_t value) : content(ExactScalar(value)) {}
  StaticValue(double value) : content(value) {}
  StaticValue(std::string value) : content(std::move(value)) {}
  StaticValue(const char *value) : content(std::string(value)) {}
  StaticValue(List value) : content(std::move(value)) {}
  StaticValue(Record value) : content(std::move(value)) {}
  StaticValue(Unknown value) : content(std::move(value)) {}
  /// A number where `size` is one.
  static StaticValue ofSize(const Dim &size);
  static StaticValue unknown() { return StaticValue(Unknown{}); }

  bool isNone() const { return std::holds_alternative<None>(content); }
  /// The keys whose absence made this `none`; empty where a spec says so.
  std::vector<std::string> absentKeys() const {
    auto *none = std::get_if<None>(&content);
    return none && none->keys ? *none->keys : std::vector<std::string>();
  }
  bool isUnknown() const { return std::holds_alternative<Unknown>(content); }
  bool isNumber() const { return exact() || inexact(); }
  const bool *boolean() const { return std::get_if<bool>(&content); }
  const ExactScalar *exact() const {
    return std::get_if<ExactScalar>(&content);
  }
  const double *inexact() const { return std::get_if<double>(&content); }
  const std::string *text() const { return std::get_if<std::string>(&content); }
  const List *list() const { return std::get_if<List>(&content); }
  const Record *record() const { return std::get_if<Record>(&content); }
  const Unknown *unknownValue() const { return std::get_if<Unknown>(&content); }

  std::optional<int64_t> asInteger() const;
  /// As the size of an axis: a natural number, or symbolic.
  std::optional<Dim> asSize() const;
  double toDouble() const; // of a number
  /// A number as an exact scalar: an inexact one is the rational it is stored
  /// as.
  ExactScalar toExact() const;

  /// As it is inserted into a string, and as messages show it.
  std::string str() const;
  /// "a number", "a text", …
  std::string kind() const;
  nlohmann::json toJson() const;

private:
  std::variant<None, bool, ExactScalar, double, std::string, List, Record,
               Unknown>
      content;
};

/// `none`, since these keys are absent.
StaticValue noneOf(std::vector<std::string> keys);

/// A value of a JSON file; `path` is that of an object or list, with its "." .
StaticValue fromJson(const nlohmann::json &value, const std::string &path);

/// The rational number that a finite double is.
ExactScalar exactOf(double value);

/// Equal as values: numbers as numbers, lists and records by their elements.
/// None where it cannot be known.
std::optional<bool> equal(const StaticValue &a, const StaticValue &b);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_STATICVALUE_H
