// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_KERNELS_DEVICEFAILURE_H
#define TRANSFOLD_RUNTIME_KERNELS_DEVICEFAILURE_H

#include "runtime/kernels/KernelError.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace transfold::runtime {

/// Halide's runtime for a device ends the process by a signal where it meets
/// what it does not expect: a driver that refuses a kernel, for one. These
/// calls make a message of it.

/// For the beginning of a program's main(): `end` is called instead, with what
/// Halide says of it, and does not return.
void endOnDeviceFailure(void (*end)(const std::string &reason));

/// Gives back what `run(argument)` does. Where Halide would end the process
/// meanwhile, on this thread, `run` is left at once, without the destructors of
/// what it called, so it must own nothing; the reason is thrown as
/// ComputeError. All later calls throw it as well: what a device holds is not
/// known then.
int32_t runOnDevice(int32_t (*run)(void *), void *argument);

/// Called by halide_print() with the check of Halide's runtime that failed. Does
/// not return if one of the two functions above is in effect.
void leaveOnDeviceFailure(std::string_view check);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_DEVICEFAILURE_H
