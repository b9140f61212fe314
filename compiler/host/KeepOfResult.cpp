// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are made where they are kept.
//
//   %k = xf.launch @rotate(…)              K[first + r] = rotate(…)[r]
//   xf.keep %k in @decode.0[%l] from %first
//
// The rows of one sequence lie behind each other in its cache, at a multiple of
// a row's bytes, as they would in a buffer: a launch that gets the address of
// the cache's next row for its result has kept it. Exact: the numbers are the
// same, and nobody reads those places of the cache before they are kept. Who
// reads the launch's result reads them in the cache, which nobody overwrites
// before the entry ends.

#include "compiler/host/KeepOfResult.h"

using namespace transfold;

/// Collects what keeps `value` or a view of it. False where somebody else wants
/// it in its buffer, as loops do.
static bool collectKeeps(mlir::Value value,
                         llvm::SmallVectorImpl<xf::KeepOp> &keeps) {
  for (mlir::Operation *user : value.getUsers()) {
    if (auto view = mlir::dyn_cast<xf::RearrangeOp>(user)) {
      if (!collectKeeps(view.getResult(), keeps))
        return false;
    } else if (auto keep = mlir::dyn_cast<xf::KeepOp>(user)) {
      keeps.push_back(keep);
    } else if (!mlir::isa<xf::LaunchOp>(user)) {
      return false;
    }
  }
  return true;
}

xf::KeepOp host::keepOfResult(xf::LaunchOp launch) {
  // What has no rows of a sequence may be there once for all of them.
  auto shape = xf::getShape(launch.getResult().getType());
  if (llvm::all_of(shape, xf::getNumber))
    return {};
  llvm::SmallVector<xf::KeepOp> keeps;
  if (!collectKeeps(launch.getResult(), keeps) || keeps.size() != 1 ||
      keeps[0]->getBlock() != launch->getBlock())
    return {};
  return keeps[0];
}
