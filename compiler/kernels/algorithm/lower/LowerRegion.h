// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entrance to this room: from a kernel of the IR to an Algorithm.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWER_LOWERREGION_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWER_LOWERREGION_H

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The computation of a kernel as Halide functions without a schedule. Throws
/// std::exception, with the reason, if the region is not supported.
Algorithm lowerRegion(xf::KernelOp kernel, const LoweringOptions &options);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWER_LOWERREGION_H
