// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes how many of a file's schedules a module uses.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace transfold::driver {

/// "3 of 5 schedules of minilm.json used; the others are for other kernels";
/// empty if the module was compiled without such a file.
std::string describeMeasured(mlir::ModuleOp module);

} // namespace transfold::driver
