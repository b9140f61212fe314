// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results and tasks of a spec that a program lacks, because they were not
// requested.

#pragma once

#include "compiler/spec/Model.h"

#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// Whether `module` still has all entries of `task`, and the first result of
/// the last one, which the task reads.
bool hasTask(mlir::ModuleOp module, const spec::Model &model,
             const spec::TaskInfo &task);

/// Lines for the user, without line ends: one for each result that is computed
/// on request only and that `module` (after the fold stage) lacks, and one for
/// each task that lost its result.
std::vector<std::string> describeLeftOut(mlir::ModuleOp module,
                                         const spec::Model &model);

} // namespace transfold::driver
