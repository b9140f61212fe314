// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/DeviceWeights.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"

namespace transfold::runtime {

DeviceWeights::DeviceWeights(const halide_device_interface_t *interface,
                             std::span<const uint8_t> weights)
    : device(interface) {
  if (weights.empty())
    return;
  memory.describe(static_cast<int64_t>(weights.size()));
  halide_buffer_t &buffer = memory.buffer;
  buffer.host = const_cast<uint8_t *>(weights.data());
  buffer.set_host_dirty();
  if (int code = interface->copy_to_device(nullptr, &buffer, interface)) {
    std::string reason = lastKernelError(code);
    if (!isThere(interface))
      fail("the device that the program was compiled for cannot be used: {}; "
           "install its driver, or compile with another --target",
           reason);
    fail("the weights, {} MiB, cannot be brought to the device: {}",
         weights.size() >> 20, reason);
  }
  buffer.host = nullptr;
}

DeviceWeights::~DeviceWeights() {
  if (memory.buffer.device)
    device->device_free(nullptr, &memory.buffer);
}

} // namespace transfold::runtime
