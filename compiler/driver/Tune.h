// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transfold tune: schedules that are faster on this machine than those by rule,
// as a file for `transfold compile --schedules`.

#ifndef TRANSFOLD_COMPILER_DRIVER_TUNE_H
#define TRANSFOLD_COMPILER_DRIVER_TUNE_H

#include "compiler/driver/TrialProgram.h"

namespace transfold::driver {

struct TuneOptions {
  CompileOptions compile; ///< the model, its equations, how it is folded
  std::string output;     ///< the file of schedules
  Workload workload;
  double seconds = 120; ///< that rounds may take, where no decision stands
};

/// Throws std::exception with the message for the user.
void tune(const TuneOptions &options);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_TUNE_H
