// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values are stored in memory between two kernels.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The element format of a value in an entry whose kernels are formed: that of
/// a launch's result or of a cache; float32 unless stated.
Format formatOf(mlir::Value value);

/// The element format of a value inside a kernel: that of an argument in
/// memory, or the one that the value was rounded to; float32 otherwise.
Format formatOf(KernelOp kernel, mlir::Value value);

/// The bytes of a value's elements for one combination of its lengths, i.e. of
/// one row if it has a length.
int64_t bytesOfOne(mlir::Value value);

} // namespace transfold::xf
