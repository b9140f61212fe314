// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values lie in memory between two kernels.

#ifndef TRANSFOLD_DIALECT_STOREDVALUES_H
#define TRANSFOLD_DIALECT_STOREDVALUES_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The format of the numbers of a value in an entry whose kernels are formed:
/// what a launch writes, what a cache keeps; float32 where nothing is said.
Format formatOf(mlir::Value value);

/// The format that all numbers of a value of a kernel are of: that of an
/// argument in memory, or what they were rounded to; float32 for others.
Format formatOf(KernelOp kernel, mlir::Value value);

/// Bytes of a value's numbers for one combination of its lengths: of one row
/// where it has a length.
int64_t bytesOfOne(mlir::Value value);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_STOREDVALUES_H
