// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model whose weights are damaged, or whose values are too large for float32,
// produces NaN. NaN is not ordered, so the most likely token would be
// arbitrary: results are checked before they are ranked.

#pragma once

#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace transfold::runtime::inline program {

/// Throws Error if a value is NaN or +∞; -∞ is allowed, since a model may
/// exclude a token that way. `where()` returns the beginning of the message:
/// "after 7 tokens".
template <typename Where>
void checkFinite(std::span<const float> values, Where where) {
  auto isBad = [](float value) { return !(value < INFINITY); };
  // Check all values without branches, vectorized; find the bad one only if
  // there is any.
  bool isAnyBad = false;
  for (float value : values)
    isAnyBad |= isBad(value);
  if (!isAnyBad)
    return;
  auto found = std::ranges::find_if(values, isBad);
  throw ComputeError(fmt::format(
      "{} the model returns {}, as element {} of {}: its weights are damaged, "
      "or its values are too large for float32; `transfold verify` shows which",
      where(), std::isnan(*found) ? "NaN" : "infinity",
      found - values.begin() + 1, values.size()));
}

} // namespace transfold::runtime::inline program
