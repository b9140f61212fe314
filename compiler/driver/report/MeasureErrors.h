// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of float32 at each equation, for `report --run`.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/report/SpecEquations.h"

#include <mlir/IR/BuiltinOps.h>
#include <nlohmann/json.hpp>

namespace transfold::driver {

/// Adds "error" to the measurements of the equations of `data`: the largest
/// difference between the values of an equation in float32 and in double,
/// relative to the largest value, as `verify` computes it for results. `module`
/// is that of the imported equations. Throws std::exception.
void measureErrors(mlir::ModuleOp module,
                   const checkpoint::Checkpoint &checkpoint,
                   const report::SpecEquations &equations,
                   nlohmann::ordered_json &data);

} // namespace transfold::driver
