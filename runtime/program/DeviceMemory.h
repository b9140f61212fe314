// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H

#include <HalideRuntime.h>

#include <cstdint>

namespace transfold::runtime {

/// Memory of a device as Halide's runtime describes it: a row of words, since
/// its sizes are 32 bits wide. It does not move.
struct DeviceMemory {
  static constexpr int64_t wordBytes = 4;

  halide_dimension_t row = {0, 0, 1, 0};
  halide_buffer_t buffer = {};

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  /// Of `bytes` bytes from now on; allocates nothing. Throws Error where they
  /// are too many.
  void describe(int64_t bytes);
};

/// Whether the driver of such devices is here and finds one.
bool isThere(const halide_device_interface_t *interface);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H
