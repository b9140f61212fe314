// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges a sum over the members of a family of contractions into one
// contraction:
//
//   Σ_i y[i] @ W[i] = [y[0], y[1], …] @ [W[0]; W[1]; …]
//
// Before:
//   %z = xf.contract %y[i, n, k], %W[i, k, c] -> [i, n, c]
//   %s = xf.sum %z over 0 : <4, n, 48>
// After:
//   %y' = xf.rearrange %y[i, n, k] -> [n, (i k)]
//   %W' = xf.rearrange %W[i, k, c] -> [(i k), c]
//   %s  = xf.contract %y'[n, k], %W'[k, c] -> [n, c]
//
// Exact: the same products are summed. Families are adjacent in memory
// (MemoryOrder.h), so that %y' moves no data, and %W' is another view.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/PatternMatch.h>

namespace transfold::fuse {

/// Adds patterns that merge sums of contractions into contractions, and several
/// contracted labels into one.
void addSumsOfProducts(mlir::RewritePatternSet &patterns);

} // namespace transfold::fuse
