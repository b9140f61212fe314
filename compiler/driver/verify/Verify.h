// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold verify: compares folded equations, a program, and the original's
// arrays with the equations of the spec.

#pragma once

#include "compiler/driver/pipeline/Pipeline.h"

#include <string>
#include <vector>

namespace transfold::driver {

/// The options of `verify`.
struct VerifyOptions {
  std::string model; // missing weights are made up
  std::string spec;
  std::vector<std::string> inputs; // NAME=FILE.npy; if empty, made up
  std::string program;             // an executable; if empty, compiled here
  std::string target;              // of the program that is compiled here
  bool skipProgram = false;        // no program is compiled
  bool exact = false;              // equations only, without a tolerance
  std::string folded;              // a module; if empty, folded here
  std::string against;             // a folder of arrays
  FoldOptions fold;
};

/// Prints the comparisons. Throws std::exception if something differs.
void verify(const VerifyOptions &options);

} // namespace transfold::driver
