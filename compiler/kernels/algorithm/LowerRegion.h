// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The kernel as scheduled Halide functions. Throws std::exception, with the
/// reason, where the region or the schedule is none that this folder knows.
Algorithm lowerKernel(xf::KernelOp kernel);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERREGION_H
