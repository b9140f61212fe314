// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are computed from weights alone.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::xf {

/// Whether a value of static shape depends only on weights (and the layer
/// index).
bool isWeightOnly(mlir::Value value);

/// The stored weight of which a value reads a member; null if it reads none.
StoredOp storedOf(mlir::Value value);

/// Removes weights that neither the program nor another weight reads.
void eraseUnusedWeights(mlir::ModuleOp module);

} // namespace transfold::xf
