// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels and the caches of a program, with the equations that they
// compute.

#pragma once

#include "compiler/report/SpecEquations.h"

#include <mlir/IR/BuiltinOps.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace transfold::report {

/// Texts of kernels by their names.
using KernelTexts = std::map<std::string, std::string>;

/// A list of the kernels of a module of the stage `kernels`. `loops` and
/// `assembly` may lack a kernel.
nlohmann::ordered_json kernelsOf(mlir::ModuleOp module,
                                 const SpecEquations &equations,
                                 const KernelTexts &loops,
                                 const KernelTexts &assembly);

/// A list of the caches of a module of the stage `staged`.
nlohmann::ordered_json cachesOf(mlir::ModuleOp module,
                                const SpecEquations &equations);

} // namespace transfold::report
