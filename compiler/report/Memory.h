// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory plan of a program over time: which value occupies which slot of
// the arena from which operation to which, and the equations that it belongs
// to. Read from a module of the stage `host`.

#pragma once

#include "compiler/report/SpecEquations.h"

#include <mlir/IR/BuiltinOps.h>
#include <nlohmann/json.hpp>

namespace transfold::report {

/// A list with an object for each entry that has slots.
nlohmann::ordered_json memoryOf(mlir::ModuleOp module,
                                const SpecEquations &equations);

} // namespace transfold::report
