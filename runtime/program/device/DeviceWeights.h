// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the weights in a device's memory, shared by all sessions that run
// on the device.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICE_DEVICEWEIGHTS_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICE_DEVICEWEIGHTS_H

#include "runtime/program/device/DeviceMemory.h"

#include <span>

namespace transfold::runtime {

/// Owns the copy of the weights.
class DeviceWeights {
public:
  /// Copies the weights. Throws Error if there is no device or not enough
  /// memory on it.
  DeviceWeights(const halide_device_interface_t *interface,
                std::span<const uint8_t> weights);

  const halide_device_interface_t *interface() const { return device; }
  /// The memory of the weights; empty if the program has no weights.
  transfold_memory parts() const { return memory.parts(); }

private:
  const halide_device_interface_t *device;
  DeviceMemory memory;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICE_DEVICEWEIGHTS_H
