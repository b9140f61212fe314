// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the aborts of Halide's runtime for devices into errors that a program
// can report.

#pragma once

#include "runtime/kernels/KernelError.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace transfold::runtime::inline kernels {

/// Halide's runtime for a device aborts the process on unexpected errors, such
/// as a driver that rejects a kernel. These functions convert that to an error
/// message.

/// For the beginning of a program's main(): from now on `end` is called instead
/// of abort(), with Halide's message; it must not return.
void endOnDeviceFailure(void (*end)(const std::string &reason));

/// Returns the result of `run(argument)`. If Halide would abort the process
/// during the call, on this thread, `run` is left at once, without running
/// destructors, so it must not own resources; the reason is thrown as
/// ComputeError. All later calls throw it as well, since the state of the
/// device is then unknown.
int32_t runOnDevice(int32_t (*run)(void *), void *argument);

/// Called by halide_print() with the check of Halide's runtime that failed.
/// Does not return if one of the two functions above is in effect.
void leaveOnDeviceFailure(std::string_view check);

} // namespace transfold::runtime::inline kernels
