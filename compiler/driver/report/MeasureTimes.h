// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of kernels and of equations, for `report --run`: a program is
// compiled and measured, as `PROGRAM bench --kernels` does.

#pragma once

#include "compiler/driver/output/Compile.h"
#include "compiler/report/SpecEquations.h"

#include <nlohmann/json.hpp>

namespace transfold::driver {

/// Adds "run" to the report `data`, and "measured" to its kernels and
/// equations. `module` is that of the stage `host`. Throws std::exception.
void measureTimes(mlir::ModuleOp module, const CompileOptions &options,
                  const report::SpecEquations &equations,
                  nlohmann::ordered_json &data);

} // namespace transfold::driver
