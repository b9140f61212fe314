// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum over the members of a family of products is one product:
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
// Exact: the same products are summed. Families lie side by side in memory
// (MemoryOrder.h), so that %y' is no movement, and %W' is another view.

#ifndef TRANSFOLD_COMPILER_FUSE_SUMSOFPRODUCTS_H
#define TRANSFOLD_COMPILER_FUSE_SUMSOFPRODUCTS_H

#include "dialect/Dialect.h"

#include <mlir/IR/PatternMatch.h>

namespace transfold::fuse {

/// Sums of products become products, and those that sum over several labels sum
/// over one.
void addSumsOfProducts(mlir::RewritePatternSet &patterns);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_SUMSOFPRODUCTS_H
