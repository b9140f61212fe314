// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutator rewrites one argument of each barrier: the mask of the memory
// that its fence orders.

#include "compiler/kernels/build/halide/FullFenceBarriers.h"

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

Expr FullFenceBarriers::visit(const Call *call) {
  if (!call->is_intrinsic(Call::gpu_thread_barrier))
    return IRMutator::visit(call);
  // The values of Halide's CodeGen_GPU_Dev::MemoryFenceType, which is not in
  // its public header: 1 is the device's memory, 2 the shared memory of a
  // block.
  return Call::make(call->type, Call::gpu_thread_barrier, {1 | 2},
                    call->call_type);
}

} // namespace transfold::kernels
