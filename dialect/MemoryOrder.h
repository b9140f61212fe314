// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory layout of a value in a buffer: axes with a length come first, then
// the others, each group in declared order; dense, row-major. A family of heads
// <12, n, 32> is stored as [n][12][32], so that splitting columns into heads,
// or merging them, moves no data. With several lengths, <12, n, m>, each
// sequence's value keeps its axes in declared order.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The axes of `type` from the slowest to the fastest in memory.
llvm::SmallVector<unsigned> memoryOrder(mlir::Type type);

/// Whether the result of `op` has the same memory layout as its input, so that
/// `op` copies nothing.
bool isView(RearrangeOp op);

} // namespace transfold::xf
