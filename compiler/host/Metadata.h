// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says of itself (runtime/program/Program.h).

#ifndef TRANSFOLD_COMPILER_HOST_METADATA_H
#define TRANSFOLD_COMPILER_HOST_METADATA_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>
#include <nlohmann/json.hpp>

#include <string>

namespace transfold::host {

/// The entries, kernels and target of a module. What only the caller knows
/// (version, weights, ledger, tasks, sources) is there and empty.
nlohmann::ordered_json describeProgram(mlir::ModuleOp module);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_METADATA_H
