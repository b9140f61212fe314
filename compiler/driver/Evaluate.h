// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold eval: the equations themselves, in double. Same contract as a
// compiled program's `eval`, results in float64.

#ifndef TRANSFOLD_COMPILER_DRIVER_EVALUATE_H
#define TRANSFOLD_COMPILER_DRIVER_EVALUATE_H

#include "compiler/driver/Pipeline.h"

#include <string>
#include <vector>

namespace transfold::driver {

struct EvaluateOptions {
  std::string model;
  std::string spec;
  std::vector<std::string> inputs; // NAME=FILE.npy
  std::string output;              // a folder
  std::string entry;               // empty: all whose arguments are given
  Stage after = Stage::Xf;         // the module as passes left it
  int64_t chunk = 0;               // tokens of a step; 0: whole sequences
  FoldOptions fold;
};

/// Throws std::exception with the message for the user.
void evaluate(const EvaluateOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_EVALUATE_H
