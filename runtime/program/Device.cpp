// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Device.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"

#include <limits>

namespace transfold::runtime {

/// Memory is counted in words: Halide's sizes are 32 bits wide.
constexpr int64_t wordBytes = 4;

void Device::describe(Memory &memory, int64_t bytes) {
  int64_t words = (bytes + wordBytes - 1) / wordBytes;
  if (words > std::numeric_limits<int32_t>::max())
    fail("{} MiB do not fit into one block of a device's memory", bytes >> 20);
  memory.row.extent = static_cast<int32_t>(words);
  memory.buffer.type = halide_type_of<int32_t>();
  memory.buffer.dimensions = 1;
  memory.buffer.dim = &memory.row;
}

/// Some words of the arena.
class Device::Part : public Memory {
public:
  int code; // what Halide said to it

  Part(const Memory &arena, uint64_t offset, int64_t bytes) {
    describe(*this, bytes);
    row.min = static_cast<int32_t>(offset / wordBytes);
    code = arena.buffer.device_interface->device_crop(nullptr, &arena.buffer,
                                                      &buffer);
  }
  ~Part() {
    if (buffer.device)
      buffer.device_interface->device_release_crop(nullptr, &buffer);
  }
};

/// Halide says of a machine without a device that it can compute nothing.
static bool isThere(const halide_device_interface_t *interface) {
  int major = 0, minor = 0;
  return interface->compute_capability(nullptr, &major, &minor) == 0 &&
         (major || minor);
}

Device::Device(const halide_device_interface_t *interface,
               std::span<const uint8_t> payload)
    : transfold_device{
          interface,
          0,
          0,
          [](transfold_device *self, uint64_t to, const void *from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->copyFromHost(to, from, bytes);
          },
          [](transfold_device *self, void *to, uint64_t from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->copyToHost(to, from, bytes);
          },
          [](transfold_device *self, uint64_t to, uint64_t from,
             int64_t bytes) -> int32_t {
            return static_cast<Device *>(self)->copyWithin(to, from, bytes);
          }} {
  if (payload.empty())
    return;
  describe(weightsMemory, static_cast<int64_t>(payload.size()));
  halide_buffer_t &buffer = weightsMemory.buffer;
  buffer.host = const_cast<uint8_t *>(payload.data());
  buffer.set_host_dirty();
  if (int code = interface->copy_to_device(nullptr, &buffer, interface)) {
    std::string reason = lastKernelError(code);
    if (!isThere(interface))
      fail("the device that the program was compiled for cannot be used: {}; "
           "install its driver, or compile with another --target",
           reason);
    fail("the weights, {} MiB, cannot be brought to the device: {}",
         payload.size() >> 20, reason);
  }
  buffer.host = nullptr;
  weights = buffer.device;
}

Device::~Device() {
  for (Memory *memory : {&weightsMemory, &arenaMemory})
    if (memory->buffer.device)
      interface->device_free(nullptr, &memory->buffer);
}

void Device::reserveArena(int64_t bytes) {
  halide_buffer_t &buffer = arenaMemory.buffer;
  if (buffer.device && bytes <= arenaMemory.row.extent * wordBytes)
    return;
  if (buffer.device)
    interface->device_free(nullptr, &buffer);
  describe(arenaMemory, bytes);
  if (int code = interface->device_malloc(nullptr, &buffer, interface))
    fail("{} MiB of scratch memory cannot be had on the device: {}",
         bytes >> 20, lastKernelError(code));
  arena = buffer.device;
}

void Device::synchronize() {
  if (int code = interface->device_sync(nullptr, &arenaMemory.buffer))
    fail("the device failed: {}", lastKernelError(code));
}

int Device::copyFromHost(uint64_t to, const void *from, int64_t bytes) {
  Part part(arenaMemory, to, bytes);
  if (part.code)
    return part.code;
  part.buffer.host = static_cast<uint8_t *>(const_cast<void *>(from));
  part.buffer.set_host_dirty();
  return interface->copy_to_device(nullptr, &part.buffer, interface);
}

int Device::copyToHost(void *to, uint64_t from, int64_t bytes) {
  Part part(arenaMemory, from, bytes);
  if (part.code)
    return part.code;
  part.buffer.host = static_cast<uint8_t *>(to);
  part.buffer.set_device_dirty();
  return interface->copy_to_host(nullptr, &part.buffer);
}

int Device::copyWithin(uint64_t to, uint64_t from, int64_t bytes) {
  Part source(arenaMemory, from, bytes), target(arenaMemory, to, bytes);
  if (source.code || target.code)
    return source.code ? source.code : target.code;
  // Halide copies what both have: they have to begin at the same index.
  source.row.min = target.row.min = 0;
  source.buffer.set_device_dirty();
  return interface->buffer_copy(nullptr, &source.buffer, interface,
                                &target.buffer);
}

} // namespace transfold::runtime
