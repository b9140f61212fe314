// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be rounded to fewer bits than equations say, where somebody asks.

#ifndef TRANSFOLD_COMPILER_FOLD_FEWERBITS_H
#define TRANSFOLD_COMPILER_FOLD_FEWERBITS_H

#include "dialect/blocks/BlockFormat.h"

#include <algorithm>

namespace transfold::fold {

/// What meets weights of few bits in a product (RoundProducts.cpp): it stays as
/// it is, or is rounded to bfloat16 or to integers of 8 bits.
enum class Products { Exact, BF16, Int8 };

/// How many numbers of a row have one scale where what meets a weight is
/// rounded to integers: as many as a group of its codes, or two of the small
/// ones.
inline int numbersOfScale(const BlockFormat &weight) {
  return std::max(32, weight.groupNumbers());
}

/// Matrices of floats (QuantizeWeights.cpp): they stay as the checkpoint has
/// them, or are rounded to bfloat16 or to integers of 8, 5 or 4 bits.
enum class Weights { Stored, BF16, Int8, Int5, Int4 };

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_FEWERBITS_H
