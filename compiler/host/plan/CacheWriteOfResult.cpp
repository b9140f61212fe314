// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing a launch's rows directly into a cache.
//
//   %k = xf.launch @rotate(…)              K[first + r] = rotate(…)[r]
//   xf.cache_write %k in @decode.0[%l] from %first
//
// The rows of one sequence are contiguous in its cache, with the same stride as
// in a buffer: a launch that gets the address of the cache's next row for its
// result has thereby kept it. Exact: the values are the same, and these places
// of the cache are not read before they are kept. Readers of the launch's
// result read it from the cache, where it is not overwritten before the entry
// ends.

#include "compiler/host/plan/CacheWriteOfResult.h"

using namespace transfold;

/// Collects the keeps of `value` and of views of it. False if any other user
/// needs the value in its arena buffer (e.g. a loop).
static bool collectKeeps(mlir::Value value,
                         llvm::SmallVectorImpl<xf::CacheWriteOp> &keeps) {
  for (mlir::Operation *user : value.getUsers()) {
    if (auto view = mlir::dyn_cast<xf::RearrangeOp>(user)) {
      if (!collectKeeps(view.getResult(), keeps))
        return false;
    } else if (auto keep = mlir::dyn_cast<xf::CacheWriteOp>(user)) {
      keeps.push_back(keep);
    } else if (!mlir::isa<xf::LaunchOp>(user)) {
      return false;
    }
  }
  return true;
}

xf::CacheWriteOp host::keepOfResult(xf::LaunchOp launch) {
  // A value without rows of a sequence may exist once for all sequences.
  auto shape = xf::getShape(launch.getResult().getType());
  if (llvm::all_of(shape, xf::getNumber))
    return {};
  llvm::SmallVector<xf::CacheWriteOp> keeps;
  if (!collectKeeps(launch.getResult(), keeps) || keeps.size() != 1 ||
      keeps[0]->getBlock() != launch->getBlock())
    return {};
  return keeps[0];
}
