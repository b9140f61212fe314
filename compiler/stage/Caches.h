// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines which values of earlier steps are kept in caches and how later
// steps read them, i.e. the boundary between earlier and current computation.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

namespace transfold::stage {

/// The value to cache for readers of `value`: the smallest of it and the values
/// that it merely rearranges or repeats. Any other operation between a cache
/// and its reader would be recomputed in every step, for every position.
mlir::Value cheapestCut(mlir::Value value);

/// The loops around `value`, outermost first.
llvm::SmallVector<xf::LayersOp> loopsAround(mlir::Value value);

/// The caches of one entry.
class Caches {
public:
  /// Creates no cache yet; those created later are placed before `entry`.
  Caches(mlir::ModuleOp module, xf::EntryOp entry)
      : module(module), entry(entry) {}

  /// The cache of `value`, which belongs to the entry over whole sequences;
  /// created on demand.
  xf::CacheOp operator[](mlir::Value value);

  /// The number of caches.
  unsigned size() const { return caches.size(); }

private:
  mlir::ModuleOp module;
  xf::EntryOp entry;
  llvm::DenseMap<mlir::Value, xf::CacheOp> caches;
};

} // namespace transfold::stage
