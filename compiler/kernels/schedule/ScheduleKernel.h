// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entrance to this folder for `build`.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The kernel as Halide functions with the loops of its `schedule` for its
/// `target`. Throws std::exception, with the reason, if the region or the
/// schedule is not supported.
Algorithm scheduleKernel(xf::KernelOp kernel);

} // namespace transfold::kernels
