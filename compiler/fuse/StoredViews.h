// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What selects and rearranges numbers of a weight reads another view of the
// stored tensor: nothing is left to do when the program runs.
//
// Before:
//   xf.stored @W : !xf.real<4, 48, 12> from "W" as <([4:576], [48:12], [12:1])>
//   %w = xf.weight @W
//   %a = xf.select %w at 2 of 0 : … -> <48, 12>
// After:
//   xf.stored @W.part : !xf.real<48, 12> from "W" as <([48:12], [12:1]) + 1152>
//   %a = xf.weight @W.part
//
// Exact: only the places from which numbers are read change.

#ifndef TRANSFOLD_COMPILER_FUSE_STOREDVIEWS_H
#define TRANSFOLD_COMPILER_FUSE_STOREDVIEWS_H

#include "dialect/Dialect.h"

#include <mlir/IR/PatternMatch.h>

namespace transfold::fuse {

/// Rearrangements, selections and slices of weights become weights.
void addStoredViews(mlir::RewritePatternSet &patterns);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_STOREDVIEWS_H
