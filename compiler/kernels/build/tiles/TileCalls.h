// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in place of the loops over the sums of a tile, for the pass over the
// calls that replaces them by the instructions of the processor's tiles.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"

#include <utility>

namespace transfold::kernels {

/// Replaces the loops that compute the sums of a tile by a call:
///
///   produce sum                      produce sum
///     for n, c                         multiply tiles(sum, x, w)
///       sum[c, n] = 0           →
///     for n, c, k
///       sum[c, n] = sum[c, n] + dot(w[k, c], x[k, n])
///
/// or the same with octets of rows in pairs, or with pairs of bfloat16.
/// build/tiles/TileProducts.h describes the arguments, and the functions that
/// replace the call by instructions. Sums of integers fit into 32 bits and do
/// not depend on the order; those of bfloat16 are computed in the order of the
/// instruction, as PairProduct.cpp describes. The preconditions of the call are
/// checked here: sums start at 0, and addresses grow by the same step in each
/// iteration of a loop.
class TileCalls : public Halide::Internal::IRMutator {
public:
  explicit TileCalls(Algorithm::TileSums sums) : sums(std::move(sums)) {}

protected:
  using IRMutator::visit;
  Halide::Internal::Stmt
  visit(const Halide::Internal::ProducerConsumer *stage) override;

private:
  Algorithm::TileSums sums;
};

} // namespace transfold::kernels
