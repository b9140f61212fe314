// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold verify: folded equations, a program, and the original's arrays
// against the equations of the spec.

#ifndef TRANSFOLD_COMPILER_DRIVER_VERIFY_H
#define TRANSFOLD_COMPILER_DRIVER_VERIFY_H

#include "compiler/driver/Pipeline.h"

#include <string>
#include <vector>

namespace transfold::driver {

struct VerifyOptions {
  std::string model; // without weights, these are made up
  std::string spec;
  std::vector<std::string> inputs; // NAME=FILE.npy; made up where empty
  std::string program;             // an executable; made here where empty
  std::string target;              // of the program that is made here
  bool skipProgram = false;        // none is made
  std::string folded;              // a module; folded here where empty
  std::string against;             // a folder of arrays
  FoldOptions fold;
};

/// Prints what it finds. Throws std::exception where something differs.
void verify(const VerifyOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_VERIFY_H
