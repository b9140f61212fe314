// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about values that are defined by their indices (xf.tabulate).

#pragma once

#include <mlir/IR/Value.h>

namespace transfold::xf {

/// Whether a value is a table of the exact constant 0.
bool isZeroTable(mlir::Value value);

} // namespace transfold::xf
