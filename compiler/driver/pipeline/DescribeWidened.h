// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes weights that a program stores in wider formats than its checkpoint.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace transfold::driver {

/// "; 3 matrices of int16_scaled became float32": describes placed weights
/// whose checkpoint format has few bits and that the program stores as float32
/// or float16. Empty if there are none.
std::string describeWidened(mlir::ModuleOp module);

} // namespace transfold::driver
