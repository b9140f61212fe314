// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H

#include <Halide.h>

namespace transfold::kernels {

/// At a barrier of a block's threads, what they have read and written of the
/// memory that they share is done:
///
///   gpu_thread_barrier(0)   →   gpu_thread_barrier(2)
///
/// Halide asks for that where memory was written before. Where it was only
/// read, and is written behind the barrier, it asks for nothing, which in
/// OpenCL leaves open which comes first. In PTX all barriers are alike.
class FencedBarriers : public Halide::Internal::IRMutator {
protected:
  using IRMutator::visit;
  Halide::Expr visit(const Halide::Internal::Call *call) override;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_FENCEDBARRIERS_H
