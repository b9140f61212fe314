// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a module on arrays in files, entry by entry and sequence by
// sequence, as a compiled program's `eval` does, by default in double.

#pragma once

#include "compiler/reference/Interpreter.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// One result for all sequences, in the padded shape.
struct Output {
  std::vector<int64_t> shape;
  std::vector<double> values;
};
/// By their external names.
using Outputs = std::map<std::string, Output>;

/// Evaluates a module any number of times, and reads its weights once.
class Evaluator {
public:
  /// Module and checkpoint must outlive this object.
  Evaluator(mlir::ModuleOp module, const checkpoint::Checkpoint &checkpoint,
            const reference::Numbers &numbers = reference::doubles());

  /// `observer` is called for each operation from now on.
  void observe(reference::Observer observer);

  /// `files` are NAME=FILE.npy; runs all entries whose arguments are given, or
  /// the one named `entry`. With a `chunk`, entries that generate run in steps
  /// of that many tokens. Throws std::exception.
  Outputs run(const std::vector<std::string> &files,
              const std::string &entry = "", int64_t chunk = 0);

private:
  mlir::ModuleOp module;
  const reference::Numbers &numbers;
  reference::Interpreter interpreter;
};

/// Evaluates a module once.
Outputs evaluateModule(mlir::ModuleOp module,
                       const checkpoint::Checkpoint &checkpoint,
                       const std::vector<std::string> &files,
                       const std::string &entry = "", int64_t chunk = 0,
                       const reference::Numbers &numbers = reference::doubles(),
                       reference::Observer observer = {});

} // namespace transfold::driver
