// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold compile: from a model directory to an executable, or to any
// intermediate stage.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/driver/pipeline/Pipeline.h"

#include <string>

namespace transfold::driver {

/// The options of `compile`.
struct CompileOptions {
  std::string model;
  checkpoint::WithoutWeights missing = checkpoint::WithoutWeights::Fail;
  std::string spec;         // empty: found by the model's config
  std::string output;       // empty: a.out, or standard output for texts
  std::string chatTemplate; // a file; empty: the model's
  std::string target;       // empty: kernels::defaultTarget()
  FoldOptions fold;
  ScheduleOptions schedules;
  /// Called with the module after all passes.
  std::function<void(mlir::ModuleOp)> look;
  Stage emit = Stage::Executable;
  bool embedWeights = false;
  /// No weights are written: the program can only be inspected, and benchmarked
  /// with weights that the runtime makes up.
  bool withoutWeights = false;
  bool isStatic = false;           // no other file is needed to start it
  std::string sbom;                // file for the SBOM; empty: none
  std::string depfile;             // file for the list of inputs; empty: none
  std::string debName, debVersion; // of a package; empty: the default
  bool selfCheck = false; // run the program and compare it (SelfCheck.h)
  bool useCache = true;
  bool quiet = false;
  bool showPasses = false; ///< print what each pass did
  unsigned threads = 0;
};

/// Throws std::exception with the message for the user.
void compile(const CompileOptions &options);

} // namespace transfold::driver
