// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of sums on a GPU.

#pragma once

#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

/// Schedules a product of many rows and columns on a GPU; returns false, and
/// changes nothing, if the product is not of this kind.
bool scheduleTilesOnGpu(Algorithm &algorithm, const Schedule &schedule);

} // namespace transfold::kernels
