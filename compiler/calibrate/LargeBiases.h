// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines which biases are larger than what they are added to. Moving such a
// bias past an average means that values far from zero are averaged and the
// bias is only removed afterwards: float32 then loses digits that the equations
// keep.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::calibrate {

/// Marks stored biases b of (x γ + β) W + b, where x is a row of a norm, with
/// `fold::largeBias`: the largest |β W + b| / |γ W| of a member, both as root
/// mean squares over columns, if it is above 1. The rows x have mean square 1;
/// for uncorrelated columns, |γ W| is their average contribution.
void markLargeBiases(mlir::ModuleOp module,
                     const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::calibrate
