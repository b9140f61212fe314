// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the weights stage.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace transfold::weights {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/weights/Passes.h.inc"

} // namespace transfold::weights
