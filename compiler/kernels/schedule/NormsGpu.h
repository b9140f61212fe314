// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms of the rows that a product reads, on a GPU.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_NORMSGPU_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_NORMSGPU_H

#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

/// What a block of `warps` warps needs of its `rows` rows, computed by itself
/// inside the loop `block`.
void scheduleNormsInBlock(Algorithm &algorithm, Halide::LoopLevel block,
                          int warps, int rows);

/// The same of all rows, once, before the product.
void scheduleNormsBefore(Algorithm &algorithm);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_NORMSGPU_H
