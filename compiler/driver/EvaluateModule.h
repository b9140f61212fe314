// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module on arrays in files: entry by entry, sequence by sequence, as a
// compiled program's `eval` runs them, and in double where nothing else is
// said.

#ifndef TRANSFOLD_COMPILER_DRIVER_EVALUATEMODULE_H
#define TRANSFOLD_COMPILER_DRIVER_EVALUATEMODULE_H

#include "compiler/reference/Interpreter.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// One result of all sequences, in the padded shape.
struct Output {
  std::vector<int64_t> shape;
  std::vector<double> values;
};
/// By their names for callers.
using Outputs = std::map<std::string, Output>;

/// `files` are NAME=FILE.npy; all entries that have their arguments run, or the
/// one named. With a `chunk`, what generates runs in steps of so many tokens.
/// `observer` looks at all that is computed.
/// Throws std::exception.
Outputs
evaluateModule(mlir::ModuleOp module, const checkpoint::Checkpoint &checkpoint,
               const std::vector<std::string> &files,
               const std::string &entry = "", int64_t chunk = 0,
               reference::Precision precision = reference::Precision::Double,
               reference::Observer observer = {});

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_EVALUATEMODULE_H
