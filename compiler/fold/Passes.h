// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the fold stage.

#pragma once

#include "compiler/fold/FewerBits.h"
#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace transfold::fold {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/fold/Passes.h.inc"

} // namespace transfold::fold
