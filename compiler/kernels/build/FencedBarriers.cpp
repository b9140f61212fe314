// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/build/FencedBarriers.h"

#include <stdexcept>

using namespace Halide;
using namespace Halide::Internal;

namespace transfold::kernels {

/// Of Halide's CodeGen_GPU_Dev::MemoryFenceType.
constexpr int sharedFence = 2;

Expr FencedBarriers::visit(const Call *call) {
  if (!call->is_intrinsic(Call::gpu_thread_barrier))
    return IRMutator::visit(call);
  auto fences = as_const_int(call->args[0]);
  if (!fences)
    throw std::runtime_error("the fences of a barrier are a number");
  return Call::make(call->type, call->name,
                    {static_cast<int>(*fences) | sharedFence}, call->call_type);
}

} // namespace transfold::kernels
