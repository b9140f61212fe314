// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --calibrate: sample inputs for quantised weights, and what they are good for.

#ifndef TRANSFOLD_COMPILER_DRIVER_CALIBRATION_H
#define TRANSFOLD_COMPILER_DRIVER_CALIBRATION_H

#include "compiler/driver/Pipeline.h"

#include "compiler/checkpoint/Checkpoint.h"

#include <functional>

namespace transfold::driver {

/// `fold` as it says, with what a pass needs to run the model on samples: texts
/// are read, and arrays checked, here. `say` gets a line about what was found,
/// and `warn` one for each weight that cannot be rounded; without it they are
/// written to standard error.
/// Module and checkpoint are the ones that passes will run on, and outlive the
/// result. Throws std::exception.
FoldOptions withCalibration(FoldOptions fold, mlir::ModuleOp module,
                            const checkpoint::Checkpoint &checkpoint,
                            std::function<void(const std::string &)> say = {},
                            std::function<void(const std::string &)> warn = {});

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_CALIBRATION_H
