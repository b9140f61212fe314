// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the fuse stage.

#ifndef TRANSFOLD_COMPILER_FUSE_PASSES_H
#define TRANSFOLD_COMPILER_FUSE_PASSES_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace transfold::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/fuse/Passes.h.inc"

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_PASSES_H
