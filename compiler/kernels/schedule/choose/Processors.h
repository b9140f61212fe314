// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several processors need a variant of a kernel of their own.

#pragma once

#include "compiler/kernels/schedule/choose/Target.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// `machines` without those whose additional instructions, compared to the next
/// less capable one, the kernel cannot use. `machines` has the most capable
/// first. A small-M form does not use instructions for matrices of bytes.
std::vector<Machine> usefulFor(xf::KernelOp kernel,
                               const std::vector<Machine> &machines,
                               bool isOfFewRows);

/// The name of the least capable processor that executes the kernel with the
/// same instructions as `machine`: for products of floats avx512, if `machine`
/// is avx512_bf16.
std::string processorFor(xf::KernelOp kernel, const Machine &machine,
                         bool isOfFewRows);

} // namespace transfold::kernels
