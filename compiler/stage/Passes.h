// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the stage that decides when values are computed.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

namespace transfold::stage {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/stage/Passes.h.inc"

} // namespace transfold::stage
