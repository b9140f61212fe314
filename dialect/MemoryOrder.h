// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a value lies in memory when it is a buffer: axes with a length come
// first, then the others, each group in declared order; dense, row-major. A
// family of heads <12, n, 32> lies as [n][12][32], so that splitting columns
// into heads, or joining them, moves nothing. With several lengths, <12, n, m>,
// the axes of a sequence's value lie in declared order.

#ifndef TRANSFOLD_DIALECT_MEMORYORDER_H
#define TRANSFOLD_DIALECT_MEMORYORDER_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The axes of `type` from the slowest to the fastest in memory.
llvm::SmallVector<unsigned> memoryOrder(mlir::Type type);

/// Whether the result of `op` lies in memory exactly as its input does.
bool isView(RearrangeOp op);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_MEMORYORDER_H
