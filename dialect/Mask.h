// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_MASK_H
#define TRANSFOLD_DIALECT_MASK_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The mask that a definition of two positions says, such as
/// "[i, j] = j <= i and i - j < 4096"; null where it is anything but linear
/// comparisons that all hold.
MaskAttr maskOf(mlir::MLIRContext *context, const IndexDefinition &definition);

/// No sequence has as many positions: kernels count numbers in 32 bits.
constexpr int64_t mostPositions = int64_t(1) << 30;

/// A query that sees nothing, of so many queries and keys.
struct HiddenRow {
  int64_t row, rows, keys;
};
/// The first row that `mask` lets see none of the keys; none where it is proven
/// that each row sees one. `rows` and `keys` are axes: numbers, or lengths of
/// one at least, which are equal where their names are.
std::optional<HiddenRow> findHiddenRow(MaskAttr mask, mlir::Attribute rows,
                                       mlir::Attribute keys);

/// Bounds of the keys that queries at positions d0 … d1 may see: key j is seen
/// by one of them only if it is at least every result of `from`, and less than
/// every result of `to`. Maps without results where there is no bound.
struct SeenKeys {
  mlir::AffineMap from, to;
};
SeenKeys seenKeysOf(MaskAttr mask);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_MASK_H
