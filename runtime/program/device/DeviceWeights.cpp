// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uploads the weights once for all sessions, and explains why if that fails:
// most often there is no device or no driver.

#include "runtime/program/device/DeviceWeights.h"

#include "base/Error.h"
#include "runtime/kernels/KernelError.h"

namespace transfold::runtime::inline program {

DeviceWeights::DeviceWeights(const halide_device_interface_t *interface,
                             std::string_view target,
                             std::span<const uint8_t> weights)
    : device(interface), memory(interface) {
  if (!isThere(interface, target) && isThere(interface))
    fail("the GPU lacks instructions of the program's target, {}; compile with "
         "--target=cuda",
         target);
  if (weights.empty())
    return;
  const auto bytes = static_cast<int64_t>(weights.size());
  int code = memory.allocate(bytes);
  if (!code)
    code = memory.upload(0, weights.data(), bytes);
  if (!code)
    return;
  std::string reason = lastKernelError(code);
  if (!isThere(interface))
    fail("the device that the program was compiled for cannot be used: {}; "
         "install its driver, or compile with another --target",
         reason);
  fail("the weights, {} MiB, cannot be copied to the device: {}",
       weights.size() >> 20, reason);
}

} // namespace transfold::runtime::inline program
