// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses numbers in two roundings, as serde_json does: first the digits, then
// their product or quotient with a power of ten.

#include "compiler/tokenizer/json/JsonNumber.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace transfold::tokenizer {

namespace {

/// The largest exponent of a power of ten that is a finite double.
constexpr int64_t mostExponent = 308;
/// The powers of ten that are exact in double, nearly the only ones that occur.
constexpr auto exactPowers = [] {
  std::array<double, 23> powers{1};
  for (size_t k = 1; k < powers.size(); ++k)
    powers[k] = powers[k - 1] * 10;
  return powers;
}();

/// The double that is nearest to 10^exponent.
double powerOfTen(size_t exponent) {
  if (exponent < exactPowers.size())
    return exactPowers[exponent];
  std::string text = fmt::format("1e{}", exponent);
  double power = 0;
  std::from_chars(text.data(), text.data() + text.size(), power);
  return power;
}

/// The leading digits, as many as 64 bits hold, and the power of ten that they
/// are multiplied by.
struct Decimal {
  uint64_t significand = 0;
  int64_t exponent = 0;
  // No further digit fits: all others up to the point, or after it, are
  // dropped.
  bool full = false;

  void add(char digit, bool behindPoint) {
    uint64_t next = 0;
    full =
        full || __builtin_mul_overflow(significand, 10u, &next) ||
        __builtin_add_overflow(next, static_cast<uint64_t>(digit - '0'), &next);
    if (full) {
      exponent += !behindPoint;
      return;
    }
    significand = next;
    exponent -= behindPoint;
  }
};

/// A decimal digit in ASCII.
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The value of the digits after the "e".
int64_t exponentOf(std::string_view text) {
  bool isNegative = text.starts_with('-');
  if (isNegative || text.starts_with('+'))
    text.remove_prefix(1);
  int64_t value = 0;
  for (char digit : text)
    value = std::min<int64_t>(value * 10 + (digit - '0'), INT32_MAX);
  return isNegative ? -value : value;
}

} // namespace

/// Divides by powers beyond 10^308 in several steps, since this is the largest
/// power of ten that a double holds.
std::optional<double> jsonNumber(std::string_view text) {
  bool isNegative = text.starts_with('-');
  if (isNegative)
    text.remove_prefix(1);
  Decimal decimal;
  bool behindPoint = false;
  while (!text.empty() && (isDigit(text[0]) || text[0] == '.')) {
    if (text[0] == '.') {
      behindPoint = true;
      decimal.full = false;
    } else
      decimal.add(text[0], behindPoint);
    text.remove_prefix(1);
  }
  if (!text.empty())
    decimal.exponent += exponentOf(text.substr(1));
  auto value = static_cast<double>(decimal.significand);
  while (value != 0 && decimal.exponent < -mostExponent) {
    value /= powerOfTen(mostExponent);
    decimal.exponent += mostExponent;
  }
  if (value != 0) {
    if (decimal.exponent > mostExponent)
      return std::nullopt;
    double power = powerOfTen(static_cast<size_t>(std::abs(decimal.exponent)));
    value = decimal.exponent < 0 ? value / power : value * power;
  }
  if (std::isinf(value))
    return std::nullopt;
  return isNegative ? -value : value;
}

} // namespace transfold::tokenizer
