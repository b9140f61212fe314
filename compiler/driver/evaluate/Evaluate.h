// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold eval: evaluates the equations in double. Same interface as a
// compiled program's `eval`, with results in float64.

#pragma once

#include "compiler/driver/pipeline/Pipeline.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// The options of `evaluate`.
struct EvaluateOptions {
  std::string model;
  std::string spec;
  std::vector<std::string> inputs; // NAME=FILE.npy
  std::string output;              // a folder
  std::string entry;               // empty: all whose arguments are given
  Stage after = Stage::Xf;         // the stage whose module is evaluated
  int64_t chunk = 0;               // tokens per step; 0: whole sequences
  FoldOptions fold;
};

/// Throws std::exception with the message for the user.
void evaluate(const EvaluateOptions &options);

} // namespace transfold::driver
