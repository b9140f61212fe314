// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scales of blocks are float16s: from 6e-8 to 65504, with fewer digits
// below 6e-5. Weights whose scales are beyond that would become zeros, or be
// cut off.

#ifndef TRANSFOLD_COMPILER_CALIBRATE_SCALERANGE_H
#define TRANSFOLD_COMPILER_CALIBRATE_SCALERANGE_H

#include "compiler/checkpoint/Checkpoint.h"
#include "dialect/Dialect.h"

#include <string>
#include <vector>

namespace transfold::calibrate {

/// Weights that are to be rounded to blocks, and that lose more by what float16
/// does to their scales than by their codes, stay as they are. Returns a line
/// for each of them. Throws InterpreterError where a number is infinite or NaN.
std::vector<std::string>
keepBeyondScales(mlir::ModuleOp module,
                 const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::calibrate

#endif // TRANSFOLD_COMPILER_CALIBRATE_SCALERANGE_H
