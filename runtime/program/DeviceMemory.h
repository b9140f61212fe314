// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a device's memory, in parts as kernels get it (Program.h). Bytes
// are named by their offset in the block; functions return 0 or an error code
// of Halide's.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H
#define TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H

#include "runtime/program/Program.h"

#include <HalideRuntime.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace transfold::runtime {

class DeviceMemory {
public:
  /// What kernels count offsets in, and copies move.
  static constexpr int64_t wordBytes = 4;

  explicit DeviceMemory(const halide_device_interface_t *interface)
      : interface(interface) {}
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() { release(); }

  /// At least so large from now on; what it held is lost.
  int allocate(int64_t bytes);
  void release();
  int64_t bytes() const { return size; }
  /// Valid until the next allocation.
  transfold_memory parts() const { return {handles.data()}; }

  int upload(int64_t to, const void *from, int64_t bytes) const;
  /// Waits for all kernels before.
  int download(void *to, int64_t from, int64_t bytes) const;
  /// Makes this block, which is as large, what the other one is. Some of
  /// Halide's runtimes wait for kernels first; Device copies without.
  int copyAll(const DeviceMemory &other);
  /// Waits until all that was started is done.
  int synchronize();

private:
  /// Halide counts numbers with 32 bits: a large block is rows of words, each a
  /// part.
  struct Words {
    std::array<halide_dimension_t, 2> dimensions = {};
    halide_buffer_t buffer = {};
  };
  class Range;

  const halide_device_interface_t *interface;
  int64_t size = 0;
  Words all;
  std::deque<Words> others; // the parts behind the first
  std::vector<uint64_t> handles;

  int describeParts(int32_t count);
  /// Calls `copy` with the buffer of a Range for each piece of the bytes at
  /// `offset`, and with how many of them are before; ends with the first code
  /// that is not 0.
  template <typename Copy>
  int copyRanges(int64_t offset, int64_t bytes, Copy copy) const;
};

/// Whether the driver of such devices is here and finds one.
bool isThere(const halide_device_interface_t *interface);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_DEVICEMEMORY_H
