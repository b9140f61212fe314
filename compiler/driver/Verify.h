// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold verify: folded equations against those of the spec, and a program
// or the original's arrays against both.

#ifndef TRANSFOLD_COMPILER_DRIVER_VERIFY_H
#define TRANSFOLD_COMPILER_DRIVER_VERIFY_H

#include "compiler/driver/Pipeline.h"

#include <string>
#include <vector>

namespace transfold::driver {

struct VerifyOptions {
  std::string model;
  std::string spec;
  std::vector<std::string> inputs; // NAME=FILE.npy; made up where empty
  std::string program;             // an executable
  std::string against;             // a folder of arrays
  FoldOptions fold;
};

/// Prints what it finds. Throws std::exception where something differs.
void verify(const VerifyOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_VERIFY_H
