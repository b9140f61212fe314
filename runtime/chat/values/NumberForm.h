// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in the forms that '%5.2f' % x and '{:>5.2f}'.format(x) ask for.

#ifndef TRANSFOLD_RUNTIME_CHAT_VALUES_NUMBERFORM_H
#define TRANSFOLD_RUNTIME_CHAT_VALUES_NUMBERFORM_H

#include "runtime/chat/values/Integer.h"

#include <optional>
#include <string>

namespace transfold::runtime::chat {

struct NumberForm {
  char kind = 0;   // d, x, X, o, b of integers; e, f, g, E, F, G, % of reals
  char sign = '-'; // or + or a space: what stands before what is not negative
  bool marked = false;  // #: 0x, 0o and 0b; reals keep their point
  char grouping = 0;    // , or _ between groups of digits
  size_t zerosUpTo = 0; // a width that zeros in groups fill
  std::optional<size_t> precision = {};
};

/// Widths and precisions are no larger.
inline constexpr size_t widest = 100'000;

/// A sign, and what stands before the digits: zeros that fill a width come
/// between the two.
struct FormedNumber {
  std::string sign, digits;
};
FormedNumber formed(Integer value, const NumberForm &form);
FormedNumber formed(double value, const NumberForm &form);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_VALUES_NUMBERFORM_H
