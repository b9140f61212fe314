// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizing masks, and what can be proven about them with Presburger
// arithmetic: whether a row has no visible key, and which keys a strip of
// queries can attend to.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The mask equivalent to a boolean definition over two positions, such as "[i,
/// j] = j <= i and i - j < 4096"; null unless it is a conjunction of linear
/// comparisons.
MaskAttr maskOf(mlir::MLIRContext *context, const IndexDefinition &definition);

/// Upper bound of the positions of a sequence: kernels count elements in 32
/// bits.
constexpr int64_t mostPositions = int64_t(1) << 30;

/// A query row to which the mask shows no key, and the numbers of rows and
/// keys.
struct HiddenRow {
  int64_t row, rows, keys;
};
/// The first row to which `mask` shows no key; nullopt if it is proven that
/// each row has a visible key. `rows` and `keys` are axes: fixed sizes, or
/// lengths of at least one, which are equal if their names are.
std::optional<HiddenRow> findHiddenRow(MaskAttr mask, mlir::Attribute rows,
                                       mlir::Attribute keys);

/// Bounds of the keys visible to queries at positions d0 … d1: key j is visible
/// to one of them only if it is at least every result of `from` and less than
/// every result of `to`. The maps have no results where there is no bound.
struct SeenKeys {
  mlir::AffineMap from, to;
};
/// The bounds that `mask` implies.
SeenKeys seenKeysOf(MaskAttr mask);

} // namespace transfold::xf
