// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --calibrate: runs a model on sample inputs to choose the rounding of
// quantized weights.

#pragma once

#include "compiler/driver/pipeline/Pipeline.h"

#include "compiler/checkpoint/Checkpoint.h"

#include <functional>

namespace transfold::driver {

/// Marks the large biases of `module` (LargeBiases.h), and returns `fold` with
/// callbacks that run the model on samples; reads texts and checks arrays right
/// away. `say` is called with a line that describes the
/// result, and `warn` with one for each weight that cannot be rounded; without
/// it they are written to standard error. Module and checkpoint are those that
/// the passes will run on, and must outlive the result. Throws std::exception.
FoldOptions withCalibration(FoldOptions fold, mlir::ModuleOp module,
                            const checkpoint::Checkpoint &checkpoint,
                            std::function<void(const std::string &)> say = {},
                            std::function<void(const std::string &)> warn = {});

} // namespace transfold::driver
