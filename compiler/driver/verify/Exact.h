// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares equations without a tolerance: over residues modulo two primes
// (compiler/reference/field).

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
} // namespace transfold::checkpoint

namespace transfold::driver {

/// Equations that must have the results of others.
struct EqualModule {
  mlir::ModuleOp module;
  /// Tokens of a step of entries that generate; 0: whole sequences.
  int64_t chunk = 0;
  std::string title; // of its lines
};

/// Prints a line for each result of each of `modules` that `equations` have,
/// too, for the arguments in `inputs` (NAME=FILE.npy), and fails if one is
/// unequal. Weights are random, whatever the checkpoint has. Throws
/// std::exception, also if equations cannot be evaluated exactly.
void verifyExactly(mlir::ModuleOp equations,
                   const std::vector<EqualModule> &modules,
                   const checkpoint::Checkpoint &checkpoint,
                   const std::vector<std::string> &inputs);

} // namespace transfold::driver
