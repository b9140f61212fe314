// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes for the user what --quantize and --products did.

#pragma once

#include <mlir/IR/BuiltinOps.h>

#include <string>

namespace transfold::driver {

/// Whether the operands of any contraction are rounded.
bool hasRoundedProducts(mlir::ModuleOp module);

/// "37 weights quantized, 97 % of all elements; the largest of the others is
/// wpe.weight".
std::string describeQuantized(mlir::ModuleOp module);

} // namespace transfold::driver
