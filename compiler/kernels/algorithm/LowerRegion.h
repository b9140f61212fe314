// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// What a kernel computes, as Halide functions without a schedule. Throws
/// std::exception, with the reason, where the region is none that this folder
/// knows.
Algorithm lowerRegion(xf::KernelOp kernel, const LoweringOptions &options);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H
