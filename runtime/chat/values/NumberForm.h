// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in the formats of '%5.2f' % x and '{:>5.2f}'.format(x).

#pragma once

#include "runtime/chat/values/Integer.h"

#include <optional>
#include <string>

namespace transfold::runtime::chat {

/// A parsed number format.
struct NumberForm {
  char kind = 0; // integers: d, x, X, o, b; reals: e, f, g, E, F, G, %
  /// '-', '+' or a space: the sign of numbers that are not negative ('-':
  /// none).
  char sign = '-';
  bool marked = false;  // #: prefixes 0x, 0o and 0b; reals keep their point
  char grouping = 0;    // ',' or '_' between groups of digits
  size_t zerosUpTo = 0; // width to be filled with zeros, in groups
  std::optional<size_t> precision = {};
};

/// Maximum width and precision.
inline constexpr size_t widest = 100'000;

/// A sign, and the digits: zeros that fill a width are inserted between the
/// two.
struct FormedNumber {
  std::string sign, digits;
};
/// Formats an integer.
FormedNumber formed(Integer value, const NumberForm &form);
/// Formats a real number.
FormedNumber formed(double value, const NumberForm &form);

} // namespace transfold::runtime::chat
