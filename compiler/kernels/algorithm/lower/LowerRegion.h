// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entrance to this room: from a kernel of the IR to an Algorithm.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"
#include "dialect/Dialect.h"

namespace transfold::kernels {

/// The computation of a kernel as Halide functions without a schedule. Throws
/// std::exception, with the reason, if the region is not supported.
Algorithm lowerRegion(xf::KernelOp kernel, const LoweringOptions &options);

} // namespace transfold::kernels
