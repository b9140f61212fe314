// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_DRIVER_DESCRIBEWIDENED_H
#define TRANSFOLD_COMPILER_DRIVER_DESCRIBEWIDENED_H

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace transfold::driver {

/// "; 3 matrices of int16_scaled became float32": integers with scales that a
/// program has in four bytes, once weights have their places. Empty where there
/// are none.
std::string describeWidened(mlir::ModuleOp module);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_DESCRIBEWIDENED_H
