// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms of the rows that a product reads, on a GPU.

#pragma once

#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

/// Schedules the norms of the `rows` rows of a block of `warps` warps, computed
/// by the block itself inside the loop `block`.
void scheduleNormsInBlock(Algorithm &algorithm, Halide::LoopLevel block,
                          int warps, int rows);

/// Schedules the norms of all rows, computed once, before the product.
void scheduleNormsBefore(Algorithm &algorithm);

} // namespace transfold::kernels
