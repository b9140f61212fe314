// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_TILECALLS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_TILECALLS_H

#include "compiler/kernels/algorithm/Algorithm.h"

#include <utility>

namespace transfold::kernels {

/// Makes a call of the sums of a tile, where a schedule left plain loops:
///
///   produce sum                      produce sum
///     for n, c                         multiply tiles(sum, x, w)
///       sum[c, n] = 0           →
///     for n, c, k
///       sum[c, n] = sum[c, n] + dot(w[k, c], x[k, n])
///
/// or with octets of rows in pairs, or with pairs of bfloat16.
/// build/TileProducts.h, OctetProducts.h and PairTileProducts.h have its
/// arguments and give it a meaning. Sums of integers fit into 32 bits, and any
/// order makes them; those of bfloat16 are what the instruction makes of them,
/// as PairProduct.cpp says. What the call takes for granted is checked here:
/// that sums start at 0, and that places grow by the same step with each round
/// of a loop.
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

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_TILECALLS_H
