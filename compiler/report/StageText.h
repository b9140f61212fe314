// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a module in which each line is linked to the equations that its
// operation comes from.

#pragma once

#include "compiler/report/SpecEquations.h"

#include <mlir/IR/BuiltinOps.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace transfold::report {

/// The first line of an operation in the text of its module.
struct OperationLine {
  mlir::Operation *op;
  unsigned line; // from 1
};

/// A printed module.
struct PrintedModule {
  std::string text;
  std::vector<OperationLine> operations; // in the order of their lines
};
PrintedModule printModule(mlir::ModuleOp module);

/// Origins as members "equations", "callers" and "at" of `into`; empty ones
/// are left out.
void writeOrigins(nlohmann::ordered_json &into, const Origins &origins);

/// {"text": …, "links": [{"line": 3, "equations": [4], …}, …]}.
nlohmann::ordered_json linkedText(mlir::ModuleOp module,
                                  const SpecEquations &equations);

} // namespace transfold::report
