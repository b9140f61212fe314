// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold compile: from a model directory to an executable, or to any stage
// between.

#ifndef TRANSFOLD_COMPILER_DRIVER_COMPILE_H
#define TRANSFOLD_COMPILER_DRIVER_COMPILE_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/driver/Pipeline.h"

#include <string>

namespace transfold::driver {

struct CompileOptions {
  std::string model;
  checkpoint::WithoutWeights missing = checkpoint::WithoutWeights::Fail;
  std::string spec;         // empty: found by the model's config
  std::string output;       // empty: a.out, or standard output for texts
  std::string chatTemplate; // a file; empty: the model's
  std::string target;       // empty: kernels::defaultTarget()
  FoldOptions fold;
  ScheduleOptions schedules;
  /// Is shown the module behind its passes.
  std::function<void(mlir::ModuleOp)> look;
  Stage emit = Stage::Executable;
  bool embedWeights = false;
  /// None are written: the program can only be looked at, and measured with
  /// numbers that the runtime makes up.
  bool withoutWeights = false;
  bool isStatic = false; // the executable needs no other file to start
  std::string sbom;      // a file that says what is inside; empty: none
  std::string depfile;   // a file that says what was read; empty: none
  std::string debName, debVersion; // of a package; empty: as it is usual
  bool useCache = true;
  bool quiet = false;
  unsigned threads = 0;
};

/// Throws std::exception with the message for the user.
void compile(const CompileOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_COMPILE_H
