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
/// or with octets of rows in pairs. build/TileProducts.h and OctetProducts.h
/// have its arguments and give it a meaning. Exact: these
/// are sums of integers that fit into 32 bits, which any order makes. What the
/// call takes for granted is checked here: that sums start at 0, and that
/// places grow by the same step with each round of a loop.
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
