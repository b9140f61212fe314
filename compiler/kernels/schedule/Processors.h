// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several processors have something to offer to a kernel.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_PROCESSORS_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_PROCESSORS_H

#include "compiler/kernels/schedule/Target.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// Without those whose instructions the kernel has no use for, beside those of
/// the next less able one. `machines` has the most able first. A form of few
/// rows multiplies no matrices.
std::vector<Machine> usefulFor(xf::KernelOp kernel,
                               const std::vector<Machine> &machines,
                               bool isOfFewRows);

/// The name of the least able processor that serves the kernel as well as
/// `machine` does: for products of floats avx512, where that is avx512_bf16.
std::string processorFor(xf::KernelOp kernel, const Machine &machine,
                         bool isOfFewRows);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_PROCESSORS_H
