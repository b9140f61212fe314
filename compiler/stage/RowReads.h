// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines which rows of the sequence a definition by index reads: T[t, c] =
// x[t, c] * t reads its own row of x, B[i, j] = x[i, 0] - y[j, 0] its own row
// of x and the row of its key of y. Any other index may read any row.

#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::stage {

/// The axis of the table whose index is used unchanged for axis `axis` of the
/// array in `read`; nullopt if that index is any other expression.
inline std::optional<unsigned> indexOfRead(const IndexExpr &read,
                                           unsigned axis) {
  const IndexExpr &index = *read.operands[axis];
  if (index.kind != IndexExpr::Kind::Index)
    return std::nullopt;
  return static_cast<unsigned>(index.index);
}

} // namespace transfold::stage
