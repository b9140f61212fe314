// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSFIRST_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSFIRST_H

#include <Halide.h>

namespace transfold::kernels {

/// Has a thread load all that a run of sums takes before it adds the first.
///
/// A loop that is unrolled for this becomes loads and sums by turns, and ptxas
/// moves few of the loads up, since it prefers few registers. Each load that
/// waits for the one before costs a latency of the device's memory:
///
///                                     a = W[0]
///   sum += W[0] x[0]                  b = W[1]
///   sum += W[1] x[1]          →       …
///   …                                 sum += a x[0]
///                                     sum += b x[1]
///                                     …
///
/// Exact: the same numbers are loaded, from memory that nothing here writes.
/// Loads are kept as they are in memory, and are at most as many as registers
/// can hold beside the sums.
class LoadsFirst : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Internal::Stmt visit(const Halide::Internal::Block *block) override;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_LOADSFIRST_H
