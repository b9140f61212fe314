// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/DeviceMemory.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"

#include <limits>

namespace transfold::runtime {

void DeviceMemory::describe(int64_t bytes) {
  int64_t words = (bytes + wordBytes - 1) / wordBytes;
  if (words > std::numeric_limits<int32_t>::max())
    fail("{} MiB do not fit into one block of a device's memory", bytes >> 20);
  row.extent = static_cast<int32_t>(words);
  buffer.type = halide_type_of<int32_t>();
  buffer.dimensions = 1;
  buffer.dim = &row;
}

bool isThere(const halide_device_interface_t *interface) {
  int major = 0, minor = 0;
  const int code = interface->compute_capability(nullptr, &major, &minor);
  if (code)
    lastKernelError(code); // it is no error of a kernel's
  // Halide says of a machine without a device that it can compute nothing.
  return code == 0 && (major || minor);
}

} // namespace transfold::runtime
