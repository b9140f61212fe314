// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates entries derived from the entry over a whole sequence: one for the
// values that a request computes once, one for a step.

#pragma once

#include "compiler/stage/BindingTimes.h"
#include "compiler/stage/Caches.h"

#include <llvm/ADT/SetVector.h>

namespace transfold::stage {

/// Arguments or results: types and attributes.
struct Signature {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;

  /// Appends an argument or result.
  void add(mlir::Type type, mlir::DictionaryAttr attribute) {
    types.push_back(type);
    attributes.push_back(attribute);
  }
};

/// Creates an empty entry after `from`, as its part `stage`.
xf::EntryOp makeEntry(xf::EntryOp from, xf::Stage stage,
                      const Signature &arguments, const Signature &results);

/// Creates a loop over the same layers that carries `inits`; without a body.
xf::LayersOp makeLoop(mlir::OpBuilder &builder, xf::LayersOp layers,
                      mlir::ValueRange inits);

/// Creates the entry that computes `values`, which depend only on the request,
/// and keeps them in caches.
void buildBegin(xf::EntryOp whole, const llvm::SetVector<mlir::Value> &values,
                const BindingTimes &moments, Caches &caches);

} // namespace transfold::stage
