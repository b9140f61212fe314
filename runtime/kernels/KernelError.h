// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H
#define TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H

#include <string>

namespace transfold::runtime {

/// What Halide said last of a kernel that failed on this thread, or the code
/// that it returned where it said nothing. Forgets it.
std::string lastKernelError(int code);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H
