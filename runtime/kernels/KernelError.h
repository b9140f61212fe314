// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H
#define TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H

#include "runtime/Error.h"

#include <string>

namespace transfold::runtime {

/// What was asked for was right, and could not be computed: a kernel failed, or
/// gave what is no number.
class ComputeError : public Error {
public:
  using Error::Error;
};

/// Whether Halide has said something since. Kernels are compiled without the
/// checks that would return what the driver of a device answers to a launch.
bool hasKernelError();

/// What Halide said last of a kernel that failed on this thread, or the code
/// that it returned where it said nothing. Forgets it.
std::string lastKernelError(int code);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_KERNELERROR_H
