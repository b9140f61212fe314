// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H

#include <Halide.h>

namespace transfold::kernels {

/// Makes the barriers of a block's threads fences of all memory.
///
/// Halide gives a barrier a fence for the memory that was written before it and
/// is read behind it. What was read before it and is written behind it needs
/// one as well, or a compiler may move the reads behind the barrier. That is
/// a tile in shared memory, which all threads read and the next step writes:
///
///   for steps                            for steps
///     tile[thread] = …                     tile[thread] = …
///     barrier(shared)                      barrier(shared, device)
///     sum += tile[…]                  →    sum += tile[…]
///     barrier()                            barrier(shared, device)
///
/// And it is a row that takes the place of an operand: its maximum is taken
/// from all of the row, by all threads, before one of them writes the first
/// number. CUDA's barriers are such fences always.
class FencedBarriers : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H
