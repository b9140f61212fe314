// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed from weights alone.

#ifndef TRANSFOLD_DIALECT_WEIGHTS_H
#define TRANSFOLD_DIALECT_WEIGHTS_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::xf {

/// Whether a value of known size depends on weights alone, and on the layer.
bool isWeightOnly(mlir::Value value);

/// The stored weight that a value reads a member of; null where it reads none.
StoredOp storedOf(mlir::Value value);

/// Removes weights that neither a program nor another weight reads.
void eraseUnusedWeights(mlir::ModuleOp module);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_WEIGHTS_H
