// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernels stage: they choose schedules and storage. Building
// kernels is not a pass.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/Pass/Pass.h>

namespace transfold::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/kernels/Passes.h.inc"

} // namespace transfold::kernels
