// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_DRIVER_PIPELINE_DESCRIBEQUANTIZED_H
#define TRANSFOLD_COMPILER_DRIVER_PIPELINE_DESCRIBEQUANTIZED_H

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace transfold::driver {

/// Whether the operands of any contraction are rounded.
bool hasRoundedProducts(mlir::ModuleOp module);

/// "37 weights quantised, 97 % of all numbers; wpe.weight stays".
std::string describeQuantized(mlir::ModuleOp module);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_PIPELINE_DESCRIBEQUANTIZED_H
