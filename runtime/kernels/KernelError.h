// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of kernels, and Halide's messages about them, which are kept for each
// thread until lastKernelError() returns them.

#pragma once

#include "base/Error.h"

#include <string>

namespace transfold::runtime::inline kernels {

/// A valid request could not be computed: a kernel failed, or a result is NaN
/// or infinite.
class ComputeError : public Error {
public:
  using Error::Error;
};

/// Whether Halide has reported an error since the last one was cleared. Kernels
/// are compiled without the checks that would return a driver's error code of a
/// launch.
bool hasKernelError();

/// Halide's last message about a kernel that failed on this thread, or, if
/// there is none, the name of its error code. Clears the message.
std::string lastKernelError(int code);

} // namespace transfold::runtime::inline kernels
