// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters that return numbers, and filters for any value.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Operators.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace transfold::runtime::chat {

namespace {

Value abs(Machine &, const Bound &given) {
  if (const double *value = given[0].real())
    return std::fabs(*value);
  auto value = given[0].integer();
  if (!value)
    fail("'abs' needs a number, not {}", typeName(given[0]));
  return *value < 0 ? negated(*value) : Value(*value);
}

/// The ASCII digit for a decimal digit of another script. These digits come in
/// groups of ten.
char decimalOf(char32_t code) {
  char32_t first = code;
  while (isPythonDecimal(first - 1))
    --first;
  return static_cast<char>('0' + (code - first) % 10);
}

/// Python's syntax of a number: white space around it, a sign, and "_" between
/// digits of `base`. Returns its digits; nullopt if the text is not a number.
std::optional<std::string> digitsOf(const Text &text, unsigned base) {
  Text trimmed = stripped(text, nullptr, true, true);
  std::string digits, all;
  auto isDigit = [base](char c) { return digitOf(c) < base; };
  work(trimmed.size(), priceOfCharacters);
  for (size_t at = 0; at < trimmed.size();) {
    char32_t code = nextCodePoint(trimmed.bytes, at);
    if (code >= 0x80 && !isPythonDecimal(code))
      return std::nullopt;
    all += code < 0x80 ? static_cast<char>(code) : decimalOf(code);
  }
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] != '_')
      digits += all[i];
    else if (i == 0 || i + 1 == all.size() || !isDigit(all[i - 1]) ||
             !isDigit(all[i + 1]))
      return std::nullopt;
  return digits;
}

/// Removes a sign; returns whether it is negative.
bool takeSign(std::string_view &digits) {
  const bool minus = digits.starts_with('-');
  if (minus || digits.starts_with('+'))
    digits.remove_prefix(1);
  return minus;
}

/// float(text): nullopt if Python would raise ValueError.
std::optional<double> readReal(const Text &text) {
  auto digits = digitsOf(text, 10);
  if (!digits)
    return std::nullopt;
  std::string_view rest = *digits;
  const bool minus = takeSign(rest);
  if (rest.starts_with('-') || rest.starts_with('(') ||
      rest.find('(') != rest.npos)
    return std::nullopt; // not valid in Python
  double value = 0;
  const char *begin = rest.data(), *end = begin + rest.size();
  auto [last, problem] = std::from_chars(begin, end, value);
  if (last != end || problem == std::errc::invalid_argument)
    return std::nullopt;
  if (problem ==
      std::errc::result_out_of_range) // from_chars does not set the value then
    value = std::strtod(std::string(rest).c_str(), nullptr);
  return minus ? -value : value;
}

/// The integer part; nullopt for infinity and NaN.
std::optional<Integer> whole(double value) {
  return std::isfinite(value) ? std::optional(wholeOf(value)) : std::nullopt;
}

/// int(text, base): with base 16, a prefix 0x is allowed; with base 0, the
/// prefix defines the base.
std::optional<Integer> readWhole(const Text &text, unsigned base) {
  // A prefix may stand before the first "_": 0x_ff. The digits are checked
  // against the base below.
  auto digits = digitsOf(text, 36);
  if (!digits)
    return std::nullopt;
  std::string_view rest = *digits;
  const bool minus = takeSign(rest);
  for (auto [mark, its] : {std::pair{'x', 16U}, {'o', 8U}, {'b', 2U}})
    if ((base == its || base == 0) && rest.size() > 2 && rest[0] == '0' &&
        (rest[1] | 0x20) == mark) {
      rest.remove_prefix(2);
      base = its;
      break;
    }
  if (base == 0 && rest.starts_with('0') &&
      rest.find_first_not_of('0') != rest.npos)
    return std::nullopt;
  Integer value;
  if (!readDigits(rest, base ? base : 10, value))
    return std::nullopt;
  return minus ? -value : value;
}

/// The filter `int`: tries int(text, base), then int(float(text)), and
/// otherwise returns its default, as jinja2 does.
Value toInteger(Machine &, const Bound &given) {
  Value otherwise = given.has(1) ? given[1] : Value(Integer{0});
  int64_t base = given.integer(2, 10);
  if (base != 0 && (base < 2 || base > 36))
    fail("'int' needs a base from 2 to 36, or 0");
  std::optional<Integer> value;
  if (const Text *text = given[0].text()) {
    value = readWhole(*text, static_cast<unsigned>(base));
    if (!value)
      if (auto real = readReal(*text))
        value = whole(*real);
  } else if (const double *real = given[0].real()) {
    if (std::isinf(*real))
      fail("infinity has no integer part");
    value = whole(*real);
  } else if (given[0].isUndefined()) {
    fail("{} is undefined", given[0].undefinedName());
  } else {
    value = given[0].integer();
  }
  return value ? Value(*value) : otherwise;
}

/// The filter `float`, with a default for other values.
Value toReal(Machine &, const Bound &given) {
  std::optional<double> value = given[0].number();
  if (const Text *text = given[0].text())
    value = readReal(*text);
  if (given[0].isUndefined())
    fail("{} is undefined", given[0].undefinedName());
  return value ? Value(*value) : given.has(1) ? given[1] : Value(0.0);
}

/// Rounds to `digits` decimal places, by the exact value; ties go to even.
double rounded(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 323)
    return value;
  if (digits < -308)
    return std::copysign(0.0, value);
  auto read = [](const std::string &text) {
    return std::strtod(text.c_str(), nullptr);
  };
  if (digits >= 0)
    return read(fmt::format("{:.{}f}", value, digits));
  // A negative number of places: rounds the whole part, by an exact division.
  double unit = std::pow(10.0, static_cast<double>(-digits));
  double size = std::fabs(value), rest = std::fmod(size, unit);
  double below = size - rest, half = unit / 2;
  bool isOdd = std::fmod(below / unit, 2) != 0;
  bool up = rest > half || (rest == half && isOdd);
  return std::copysign(up ? below + unit : below, value);
}

/// The same for an integer, which only a negative number of digits changes.
Integer rounded(Integer value, int64_t digits) {
  if (digits >= 0)
    return value;
  if (digits < -38)
    return 0;
  Integer unit = 1;
  for (int64_t i = digits; i < 0; ++i)
    unit *= 10;
  Integer rest = value % unit, below = value - rest,
          size = rest < 0 ? -rest : rest;
  bool isOdd = below / unit % 2 != 0;
  if (size > unit / 2 || (size == unit / 2 && isOdd)) {
    if (__builtin_add_overflow(below, value < 0 ? -unit : unit, &below))
      failLarge();
  }
  return below;
}

/// The filter `round`: `common` rounds ties to even, as Python does.
Value round(Machine &, const Bound &given) {
  int64_t digits = given.integer(1, 0);
  std::string_view method = given.text(2, "common");
  if (method != "common" && method != "ceil" && method != "floor")
    fail("'round' has the methods common, ceil and floor");
  if (!given[0].isNumber())
    fail("'round' needs a number, not {}", typeName(given[0]));
  if (method == "common")
    return given[0].real() ? Value(rounded(*given[0].real(), digits))
                           : Value(rounded(*given[0].integer(), digits));
  // As in jinja2: value * 10 ** digits, whose integer part is divided.
  Value scale = calculate(Op::Power, Integer{10}, Integer{digits});
  Value scaled = calculate(Op::Multiply, given[0], scale);
  Integer part = scaled.real()
                     ? wholeOf(method == "ceil" ? std::ceil(*scaled.real())
                                                : std::floor(*scaled.real()))
                     : *scaled.integer();
  return calculate(Op::Divide, part, scale);
}

/// start + item + item + …, from left to right.
Value sum(Machine &machine, const Bound &given) {
  Value result = given.has(2) ? given[2] : Value(Integer{0});
  if (result.text())
    fail("'sum' does not concatenate strings; use 'join'");
  for (const Value &item : itemsOf(given[0]))
    result = calculate(Op::Add, result,
                       given.has(1) && !given[1].isNone()
                           ? attributeAt(machine, item, given[1])
                           : item);
  return result;
}

/// The filter `default`: replaces undefined values, and with `boolean` also
/// false ones.
Value otherwise(Machine &, const Bound &given) {
  bool isMissing =
      given[0].isUndefined() || (given.isTrue(2, false) && !isTrue(given[0]));
  if (!isMissing)
    return given[0];
  return given.has(1) ? given[1] : Value(Text());
}

Value attribute(Machine &machine, const Bound &given) {
  // Only real attributes: entries of a dict do not count.
  if (given[0].dict() && !findMethod(given[0], given.text(1, "")))
    return Undefined{
        fmt::format("attribute '{}' of dict", shown(given.text(1, "")))};
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
