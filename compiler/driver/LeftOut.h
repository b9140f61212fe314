// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a spec has and a program does not, since nobody asked for it.

#ifndef TRANSFOLD_COMPILER_DRIVER_LEFTOUT_H
#define TRANSFOLD_COMPILER_DRIVER_LEFTOUT_H

#include "compiler/spec/Model.h"

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// True where `module` still has all entries of `task`, and of the last one the
/// first result, which the task reads.
bool hasTask(mlir::ModuleOp module, const spec::Model &model,
             const spec::TaskInfo &task);

/// A line for each result that is made on request only and that `module`, which
/// went through the fold stage, does not have, and for each task that lost its
/// result; for people, without an end of line.
std::vector<std::string> describeLeftOut(mlir::ModuleOp module,
                                         const spec::Model &model);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_LEFTOUT_H
