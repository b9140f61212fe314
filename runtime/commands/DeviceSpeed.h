// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_COMMANDS_DEVICESPEED_H
#define TRANSFOLD_RUNTIME_COMMANDS_DEVICESPEED_H

#include "runtime/program/DeviceWeights.h"

namespace transfold::runtime {

/// Bytes a second that a device reads and writes, together, while it copies
/// within its memory; the best of a few times. 0 where it has no room for that.
double copyingSpeed(const DeviceWeights *device);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_DEVICESPEED_H
