// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_MASK_H
#define TRANSFOLD_DIALECT_MASK_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The mask that a definition of two positions says, such as
/// "[i, j] = j <= i and i - j < 4096"; null where it is anything but linear
/// comparisons that all hold.
MaskAttr maskOf(mlir::MLIRContext *context, const IndexDefinition &definition);

/// Bounds of the keys that queries at positions d0 … d1 may see: key j is seen
/// by one of them only if it is at least every result of `from`, and less than
/// every result of `to`. Maps without results where there is no bound.
struct SeenKeys {
  mlir::AffineMap from, to;
};
SeenKeys seenKeysOf(MaskAttr mask);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_MASK_H
