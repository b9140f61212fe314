// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces selections and rearrangements of weights by other views of the
// stored tensors, so that no work is left for run time.
//
// Before:
//   xf.stored @W : !xf.real<4, 48, 12> from "W" as <([4:576], [48:12], [12:1])>
//   %w = xf.weight @W
//   %a = xf.select %w at 2 of 0 : … -> <48, 12>
// After:
//   xf.stored @W.part : !xf.real<48, 12> from "W" as <([48:12], [12:1]) + 1152>
//   %a = xf.weight @W.part
//
// Exact: only the places from which elements are read change.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/PatternMatch.h>

namespace transfold::fuse {

/// Adds patterns that turn rearrangements, repetitions, selections and slices
/// of weights into weights.
void addStoredViews(mlir::RewritePatternSet &patterns);

} // namespace transfold::fuse
