// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's integers, up to 128 bits: a larger result is an error, never a wrong
// number.

#pragma once

#include "base/Error.h"

#include <cmath>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace transfold::runtime::chat {

/// The type of integers in templates.
__extension__ using Integer = __int128;

constexpr Integer mostInteger =
    static_cast<Integer>(~static_cast<unsigned __int128>(0) >> 1);
constexpr Integer leastInteger = -mostInteger - 1;

/// Throws Error for an integer that does not fit.
[[noreturn]] inline void failLarge() { fail("an integer is beyond 128 bits"); }

/// For indices and counts: values beyond 64 bits are clamped.
inline int64_t narrowed(Integer value) {
  return value > INT64_MAX   ? INT64_MAX
         : value < INT64_MIN ? INT64_MIN
                             : static_cast<int64_t>(value);
}

/// The integer part of a number. Throws Error if it is too large, and for
/// infinity and NaN.
inline Integer wholeOf(double value) {
  constexpr double limit = 0x1p127;
  if (std::isnan(value))
    fail("NaN has no integer part");
  if (std::isinf(value))
    fail("infinity has no integer part");
  if (!(value >= -limit && value < limit))
    failLarge();
  return static_cast<Integer>(value);
}

/// Exact comparison of values of different types.
inline std::partial_ordering compared(Integer a, double b) {
  constexpr double limit = 0x1p127;
  if (std::isnan(b))
    return std::partial_ordering::unordered;
  if (b >= limit)
    return std::partial_ordering::less;
  if (b < -limit)
    return std::partial_ordering::greater;
  auto whole = static_cast<Integer>(b);
  if (a != whole)
    return a < whole ? std::partial_ordering::less
                     : std::partial_ordering::greater;
  return 0.0 <=> b - std::trunc(b);
}

/// In decimal notation.
inline std::string toString(Integer value) { return fmt::format("{}", value); }

/// The value of a digit for bases up to 36; 36 if it is not a digit.
inline unsigned digitOf(char c) {
  return c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
         : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 10
         : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A') + 10
                                : 36;
}

/// Parses digits in a base, without a sign. Returns false if they are not
/// digits. Throws Error if the number is too large.
inline bool readDigits(std::string_view text, unsigned base, Integer &value) {
  value = 0;
  for (char c : text)
    if (digitOf(c) >= base)
      return false;
  for (char c : text)
    if (__builtin_mul_overflow(value, static_cast<Integer>(base), &value) ||
        __builtin_add_overflow(value, static_cast<Integer>(digitOf(c)), &value))
      failLarge();
  return !text.empty();
}

} // namespace transfold::runtime::chat
