// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which biases are larger than what they are added to. Moving one behind an
// average leaves numbers that are far from zero to be averaged, and takes the
// bias off only then: float32 loses digits that the equations keep.

#ifndef TRANSFOLD_COMPILER_CALIBRATE_LARGEBIASES_H
#define TRANSFOLD_COMPILER_CALIBRATE_LARGEBIASES_H

#include "compiler/checkpoint/Checkpoint.h"
#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::calibrate {

/// Marks stored biases b of (x γ + β) W + b, x a row of a norm, with
/// `fold::largeBias`: the largest |β W + b| / |γ W| of a member, both as root
/// mean squares of columns, where that is above 1. Rows x have mean square 1;
/// of columns that are not alike, |γ W| is what they make on average.
void markLargeBiases(mlir::ModuleOp module,
                     const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::calibrate

#endif // TRANSFOLD_COMPILER_CALIBRATE_LARGEBIASES_H
