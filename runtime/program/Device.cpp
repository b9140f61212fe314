// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Device.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <array>

namespace transfold::runtime {

namespace {

constexpr int64_t wordBytes = DeviceMemory::wordBytes;

/// Words of a block as kernels get them: a row, and one dimension more that
/// ends where they begin.
struct Operand {
  std::array<halide_dimension_t, 2> dimensions;
  halide_buffer_t buffer = {};

  Operand(const halide_device_interface_t *interface, transfold_memory memory,
          int64_t offset, int64_t words) {
    const int64_t part = offset >> TRANSFOLD_PART_BITS;
    const int64_t first = (offset - (part << TRANSFOLD_PART_BITS)) / wordBytes;
    dimensions[0] = {0, static_cast<int32_t>(words), 1, 0};
    dimensions[1] = {0, static_cast<int32_t>(first + 1), 1, 0};
    buffer.device = memory.parts[part];
    buffer.device_interface = interface;
    buffer.type = halide_type_of<int32_t>();
    buffer.dimensions = 2;
    buffer.dim = dimensions.data();
  }
};

} // namespace

Device::Device(const DeviceWeights &weights, CopyWords copyWords)
    : transfold_device{
          weights.interface(),
          weights.parts(),
          {},
          [](transfold_device *self, int64_t to, const void *from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->arenaMemory.upload(to, from,
                                                                   bytes);
          },
          [](transfold_device *self, void *to, int64_t from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->arenaMemory.download(to, from,
                                                                     bytes);
          },
          [](transfold_device *self, transfold_memory toMemory, int64_t to,
             transfold_memory fromMemory, int64_t from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->copyWithin(
                toMemory, to, fromMemory, from, bytes);
          }},
      arenaMemory(weights.interface()), copyWords(copyWords) {}

void Device::reserveArena(int64_t bytes) {
  if (arenaMemory.bytes() && bytes <= arenaMemory.bytes())
    return;
  int code = arenaMemory.allocate(bytes);
  arena = arenaMemory.parts();
  if (code)
    fail("{} MiB of scratch memory cannot be had on the device: {}",
         bytes >> 20, lastKernelError(code));
}

void Device::synchronize() {
  if (int code = arenaMemory.synchronize())
    fail("the device failed: {}", lastKernelError(code));
}

int Device::copyWithin(transfold_memory toMemory, int64_t to,
                       transfold_memory fromMemory, int64_t from,
                       int64_t bytes) {
  // A piece and what is before it in its part are counted with 32 bits.
  constexpr int64_t most = int64_t{1} << 30;
  for (int64_t done = 0, count; done < bytes; done += count) {
    count = std::min(bytes - done, most);
    const int64_t words = (count + wordBytes - 1) / wordBytes;
    Operand source(interface, fromMemory, from + done, words);
    Operand target(interface, toMemory, to + done, words);
    if (int code = copyWords(&source.buffer, &target.buffer))
      return code;
  }
  return 0;
}

} // namespace transfold::runtime
