// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scales of blocks are float16s: their range is 6e-8 to 65504, with less
// precision below 6e-5. Weights whose scales exceed that range would become
// zeros, or be clamped.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "dialect/Dialect.h"

#include <string>
#include <vector>

namespace transfold::calibrate {

/// Cancels the rounding of weights that would lose more by rounding their
/// scales to float16 than by their codes. Returns a message for each of them.
/// Throws InterpreterError if an element is infinite or NaN.
std::vector<std::string>
keepBeyondScales(mlir::ModuleOp module,
                 const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::calibrate
