// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Device.h"

#include "runtime/Error.h"
#include "runtime/kernels/KernelError.h"

namespace transfold::runtime {

/// Some words of the arena.
class Device::Part : public DeviceMemory {
public:
  int code; // what Halide said to it

  Part(const DeviceMemory &arena, uint64_t offset, int64_t bytes) {
    describe(bytes);
    row.min = static_cast<int32_t>(offset / wordBytes);
    code = arena.buffer.device_interface->device_crop(nullptr, &arena.buffer,
                                                      &buffer);
  }
  ~Part() {
    if (buffer.device)
      buffer.device_interface->device_release_crop(nullptr, &buffer);
  }
};

Device::Device(const DeviceWeights &weights)
    : transfold_device{
          weights.interface(),
          weights.handle(),
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
          }} {}

Device::~Device() {
  if (arenaMemory.buffer.device)
    interface->device_free(nullptr, &arenaMemory.buffer);
}

void Device::reserveArena(int64_t bytes) {
  halide_buffer_t &buffer = arenaMemory.buffer;
  if (buffer.device &&
      bytes <= arenaMemory.row.extent * DeviceMemory::wordBytes)
    return;
  if (buffer.device)
    interface->device_free(nullptr, &buffer);
  arenaMemory.describe(bytes);
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
