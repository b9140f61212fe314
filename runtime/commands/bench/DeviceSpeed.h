// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory bandwidth of a device, with which the speed of kernels is
// compared.

#pragma once

#include "runtime/program/device/DeviceWeights.h"

namespace transfold::runtime::inline commands {

/// Bytes per second that a device reads and writes in total while it copies
/// within its memory; the best of several attempts. 0 if there is not enough
/// memory for that.
double copyingSpeed(const DeviceWeights *device);

} // namespace transfold::runtime::inline commands
