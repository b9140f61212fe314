// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the weights in a device's memory, for all that runs on the device.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICEWEIGHTS_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICEWEIGHTS_H

#include "runtime/program/DeviceMemory.h"

#include <span>

namespace transfold::runtime {

class DeviceWeights {
public:
  /// Copies the weights. Throws Error where there is no device or not enough
  /// memory on it.
  DeviceWeights(const halide_device_interface_t *interface,
                std::span<const uint8_t> weights);

  const halide_device_interface_t *interface() const { return device; }
  /// Without weights there are none.
  transfold_memory parts() const { return memory.parts(); }

private:
  const halide_device_interface_t *device;
  DeviceMemory memory;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICEWEIGHTS_H
