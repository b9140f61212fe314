// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small-M kernels: forms of other kernels, for the few rows of a decode step.
// This is the only file of this folder that depends on xf::Stage.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The largest number of rows for which a small-M form pays: for a contraction,
/// computed one row at a time and as a tile of rows; for an attention, computed
/// in parts of keys.
constexpr int64_t fewRowsOfContraction = 2, severalRows = 16,
                  fewRowsOfAttention = 4;

/// On a GPU: for a contraction, reading its matrix once for one row and once
/// for four; for an attention, computed in parts of keys.
constexpr int64_t oneRowOnGpu = 1, severalRowsOnGpu = 16;

/// Whether decode steps launch the kernel, possibly with few rows.
bool isLaunchedBySteps(xf::KernelOp kernel);

/// Whether sequences of the kernel's module continue in decode steps.
bool isBesideSteps(xf::KernelOp kernel);

} // namespace transfold::kernels
