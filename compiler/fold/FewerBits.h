// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for rounding to fewer bits than the equations have; only on request.

#pragma once

#include "base/numeric/BlockFormat.h"

#include <algorithm>

namespace transfold::fold {

/// Rounding of the operands that are multiplied with weights of few bits
/// (RoundProducts.cpp): none, to bfloat16, or to integers of 8 bits.
enum class Products { Exact, BF16, Int8 };

/// How many elements of a row share one scale if the operand of a quantized
/// weight is rounded to integers: as many as a group of its codes has, or two
/// groups if these are small (16).
inline int numbersOfScale(const BlockFormat &weight) {
  return std::max(32, weight.groupNumbers());
}

/// Rounding of matrices of floats (QuantizeWeights.cpp): none, to bfloat16, or
/// to integers of 8, 5 or 4 bits.
enum class Weights { Stored, BF16, Int8, Int5, Int4 };

} // namespace transfold::fold
