// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that make numbers, and those that take anything.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"

#include <charconv>
#include <cmath>

namespace transfold::runtime::chat {

namespace {

Value abs(Machine &, const Bound &given) {
  if (auto value = given[0].integer(); value && *value != INT64_MIN)
    return *value < 0 ? -*value : *value;
  if (const double *value = given[0].real())
    return std::fabs(*value);
  fail("'abs' needs a number, not {}", typeName(given[0]));
}

/// A number's text without the white space around it, "_" and a plus sign.
std::string digitsOf(const Text &text) {
  std::string digits;
  for (char c : stripped(text, nullptr, true, true).bytes)
    if (c != '_')
      digits += c;
  return digits.starts_with('+') ? digits.substr(1) : digits;
}

std::optional<double> readReal(const Text &text) {
  std::string digits = digitsOf(text);
  double value = 0;
  const char *end = digits.data() + digits.size();
  auto [rest, problem] = std::from_chars(digits.data(), end, value);
  if (problem != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

std::optional<int64_t> whole(double value) {
  if (!(std::fabs(value) < 9.2e18))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<int64_t> readInteger(const Text &text, int base) {
  std::string digits = digitsOf(text);
  std::string_view rest = digits;
  bool minus = rest.starts_with('-');
  rest.remove_prefix(minus);
  for (auto [mark, its] : {std::pair{'x', 16}, {'o', 8}, {'b', 2}})
    if (base == its && rest.size() > 2 && rest[0] == '0' &&
        (rest[1] | 0x20) == mark)
      rest.remove_prefix(2);
  int64_t value = 0;
  const char *begin = rest.data(), *end = begin + rest.size();
  auto [last, problem] = std::from_chars(begin, end, value, base);
  if (problem == std::errc() && last == end && !rest.starts_with('-'))
    return minus ? -value : value;
  auto real = readReal(text);
  return real ? whole(*real) : std::nullopt;
}

Value toInteger(Machine &, const Bound &given) {
  Value otherwise = given.has(1) ? given[1] : Value(int64_t{0});
  int64_t base = given.integer(2, 10);
  if (base < 2 || base > 36)
    fail("'int' needs a base from 2 to 36");
  std::optional<int64_t> value;
  if (const Text *text = given[0].text())
    value = readInteger(*text, static_cast<int>(base));
  else if (const double *real = given[0].real())
    value = whole(*real);
  else if (given[0].isUndefined())
    fail("{} is undefined", given[0].undefinedName());
  else
    value = given[0].integer();
  return value ? Value(*value) : otherwise;
}

Value toReal(Machine &, const Bound &given) {
  std::optional<double> value = given[0].number();
  if (const Text *text = given[0].text())
    value = readReal(*text);
  if (given[0].isUndefined())
    fail("{} is undefined", given[0].undefinedName());
  return value ? Value(*value) : given.has(1) ? given[1] : Value(0.0);
}

Value round(Machine &, const Bound &given) {
  auto value = given[0].number();
  if (!value)
    fail("'round' needs a number, not {}", typeName(given[0]));
  double scale = std::pow(10.0, static_cast<double>(given.integer(1, 0)));
  std::string_view method = given.text(2, "common");
  if (method == "ceil")
    return std::ceil(*value * scale) / scale;
  if (method == "floor")
    return std::floor(*value * scale) / scale;
  if (method != "common")
    fail("'round' has the methods common, ceil and floor");
  // As Python: the nearest, and of two the even one.
  return std::nearbyint(*value * scale) / scale;
}

Value sum(Machine &machine, const Bound &given) {
  int64_t whole = given.integer(2, 0);
  double real = 0;
  bool isReal = false;
  for (Value item : itemsOf(given[0], machine.budget)) {
    if (given.has(1) && !given[1].isNone())
      item = machine.item(item, given[1]);
    auto number = item.number();
    if (!number)
      fail("'sum' needs numbers, not {}", typeName(item));
    isReal |= item.real() != nullptr;
    real += *number;
    if (auto integer = item.integer();
        integer && __builtin_add_overflow(whole, *integer, &whole))
      fail("a sum is beyond 64 bits");
  }
  return isReal ? Value(real + static_cast<double>(given.integer(2, 0)))
                : Value(whole);
}

Value otherwise(Machine &, const Bound &given) {
  bool isMissing =
      given[0].isUndefined() || (given.isTrue(2, false) && !isTrue(given[0]));
  if (!isMissing)
    return given[0];
  return given.has(1) ? given[1] : Value(Text());
}

Value attribute(Machine &machine, const Bound &given) {
  return machine.attribute(given[0], given.text(1, ""));
}

constexpr Builtin table[] = {
    {"abs", "value", abs},
    {"attr", "value name", attribute},
    {"d", "value default_value? boolean?", otherwise},
    {"default", "value default_value? boolean?", otherwise},
    {"float", "value default?", toReal},
    {"int", "value default? base?", toInteger},
    {"round", "value precision? method?", round},
    {"sum", "value attribute? start?", sum},
};

} // namespace

constinit const std::span<const Builtin> numberFilters = table;

} // namespace transfold::runtime::chat
