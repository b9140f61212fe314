// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_PASSES_H
#define TRANSFOLD_COMPILER_KERNELS_PASSES_H

#include "dialect/Dialect.h"

#include <mlir/Pass/Pass.h>

namespace transfold::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/kernels/Passes.h.inc"

/// Registers the passes of this folder with MLIR's command line.
inline void registerPasses() { registerKernelsPasses(); }

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_PASSES_H
