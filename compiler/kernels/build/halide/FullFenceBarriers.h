// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that also order reads before writes.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// Makes the barriers of a block's threads fences of all memory.
///
/// Halide gives a barrier a fence for the memory that is written before it and
/// read after it. Memory that is read before it and written after it needs one
/// as well, or a compiler may move the reads past the barrier. This occurs with
/// a tile in shared memory, which all threads read and the next step writes:
///
///   for steps                            for steps
///     tile[thread] = …                     tile[thread] = …
///     barrier(shared)                      barrier(shared, device)
///     sum += tile[…]                  →    sum += tile[…]
///     barrier()                            barrier(shared, device)
///
/// It also occurs with a row that overwrites an operand: all threads take the
/// maximum of the whole row before one of them writes the first value. CUDA's
/// barriers are always such fences.
class FullFenceBarriers : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
};

} // namespace transfold::kernels
