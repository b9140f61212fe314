// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model whose weights are damaged, or whose values are too large for float32,
// gives NaN. NaN has no place in an order, so that what is likeliest would be
// any token: results are checked before they are ranked.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_FINITE_H
#define TRANSFOLD_RUNTIME_PROGRAM_FINITE_H

#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace transfold::runtime {

/// Throws Error where a value is NaN or +∞; -∞ is what a model gives that never
/// says something. `where` is called for the beginning of the message: "behind
/// 7 tokens".
template <typename Where>
void checkFinite(std::span<const float> values, Where where) {
  auto isBad = [](float value) { return !(value < INFINITY); };
  // All of them without a branch, in vectors; which it is, is asked after that.
  bool isAnyBad = false;
  for (float value : values)
    isAnyBad |= isBad(value);
  if (!isAnyBad)
    return;
  auto found = std::ranges::find_if(values, isBad);
  throw ComputeError(fmt::format(
      "{} the model gives {}, as number {} of {}: its weights are damaged, or "
      "its values are too large for float32; `transfold verify` tells which",
      where(), std::isnan(*found) ? "NaN" : "infinity",
      found - values.begin() + 1, values.size()));
}

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_FINITE_H
