// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the weights in a device's memory, shared by all sessions that run
// on the device.

#pragma once

#include "runtime/program/device/DeviceMemory.h"

#include <span>
#include <string_view>

namespace transfold::runtime::inline program {

/// Owns the copy of the weights.
class DeviceWeights {
public:
  /// Copies the weights of a program for `target`, in Halide's syntax. Throws
  /// Error if there is no device, or if it has not enough memory or lacks
  /// instructions of the target.
  DeviceWeights(const halide_device_interface_t *interface,
                std::string_view target, std::span<const uint8_t> weights);

  const halide_device_interface_t *interface() const { return device; }
  /// The memory of the weights; empty if the program has no weights.
  transfold_memory parts() const { return memory.parts(); }

private:
  const halide_device_interface_t *device;
  DeviceMemory memory;
};

} // namespace transfold::runtime::inline program
