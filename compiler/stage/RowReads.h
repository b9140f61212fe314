// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of the sequence a definition by index reads: T[t, c] = x[t, c] * t
// reads its own row of x, B[i, j] = x[i, 0] - y[j, 0] its own of x and those of
// its keys of y. Anything else may read any row.

#ifndef TRANSFOLD_COMPILER_STAGE_ROWREADS_H
#define TRANSFOLD_COMPILER_STAGE_ROWREADS_H

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::stage {

/// The axis of the table whose index stands, as it is, for axis `axis` of the
/// array in `read`; none where something else stands there.
inline std::optional<unsigned> indexOfRead(const IndexExpr &read,
                                           unsigned axis) {
  const IndexExpr &index = *read.operands[axis];
  if (index.kind != IndexExpr::Kind::Index)
    return std::nullopt;
  return static_cast<unsigned>(index.index);
}

} // namespace transfold::stage

#endif // TRANSFOLD_COMPILER_STAGE_ROWREADS_H
