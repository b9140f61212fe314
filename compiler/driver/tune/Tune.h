// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold tune: finds schedules that are faster on this machine than those by
// rule, and writes a file for `transfold compile --schedules`.

#pragma once

#include "compiler/driver/tune/TrialProgram.h"

namespace transfold::driver {

/// The options of `tune`.
struct TuneOptions {
  CompileOptions compile; ///< the model, its equations, folding options
  std::string output;     ///< the file of schedules
  Workload workload;
  double seconds = 120; ///< limit for the rounds while decisions change
};

/// Throws std::exception with the message for the user.
void tune(const TuneOptions &options);

} // namespace transfold::driver
