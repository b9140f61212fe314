// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of a program that is stored in it
// (runtime/program/Program.h).

#pragma once

#include "dialect/Dialect.h"
#include "runtime/program/metadata/Records.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::host {

/// Describes the entries, kernels and target of a module. Fields that only the
/// caller knows (version, weights, ledger, tasks, sources) are empty.
runtime::records::Program describeProgram(mlir::ModuleOp module);

} // namespace transfold::host
