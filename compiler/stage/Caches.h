// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of earlier steps of a sequence are kept in caches, and how a
// later step reads them: the border between what was computed and what is.

#ifndef TRANSFOLD_COMPILER_STAGE_CACHES_H
#define TRANSFOLD_COMPILER_STAGE_CACHES_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::stage {

/// The value to keep for readers of `value`: what is the smallest of it and of
/// what it is a mere rearrangement or repetition of. Anything else between a
/// cache and its reader would be computed again in every step, for every
/// position.
mlir::Value cheapestCut(mlir::Value value);

/// The loops around `value`, outermost first.
llvm::SmallVector<xf::LayersOp> loopsAround(mlir::Value value);

/// The caches of one entry.
class Caches {
public:
  Caches(mlir::ModuleOp module, xf::EntryOp entry)
      : module(module), entry(entry) {}

  /// The cache of `value`, a value of the entry over whole sequences; made
  /// where there is none.
  xf::CacheOp operator[](mlir::Value value);

  unsigned size() const { return caches.size(); }

private:
  mlir::ModuleOp module;
  xf::EntryOp entry;
  llvm::DenseMap<mlir::Value, xf::CacheOp> caches;
};

} // namespace transfold::stage

#endif // TRANSFOLD_COMPILER_STAGE_CACHES_H
