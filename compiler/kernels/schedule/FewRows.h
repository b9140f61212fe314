// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of few rows: forms of other kernels, for the rows of a step. The only
// place of this folder that asks for a stage.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_FEWROWS_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_FEWROWS_H

#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The most rows for which a form of few rows pays: of a contraction that makes
/// one row at a time, and a tile of rows; of an attention that makes parts of
/// keys.
constexpr int64_t fewRowsOfContraction = 2, severalRows = 16,
                  fewRowsOfAttention = 4;

/// On a GPU: of a contraction that reads its matrix once for a row, and for
/// four; of an attention that makes parts of keys.
constexpr int64_t oneRowOnGpu = 1, severalRowsOnGpu = 16;

/// Whether steps launch the kernel, with rows that may be few.
bool isLaunchedBySteps(xf::KernelOp kernel);

/// Whether sequences of the kernel's module go on in steps.
bool isBesideSteps(xf::KernelOp kernel);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_FEWROWS_H
