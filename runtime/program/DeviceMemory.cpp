// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/DeviceMemory.h"

#include "runtime/Error.h"

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

} // namespace transfold::runtime
