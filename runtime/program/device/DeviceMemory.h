// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a device's memory, divided into parts as kernels expect it
// (Program.h). Bytes are addressed by their offset in the block; functions
// return 0 or an error code of Halide.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/program/Program.h"

#include <HalideRuntime.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline program {

/// Owns one block of device memory.
class DeviceMemory : NonCopyable {
public:
  /// Unit in which kernels count offsets and copies move data.
  static constexpr int64_t wordBytes = 4;

  explicit DeviceMemory(const halide_device_interface_t *interface)
      : interface(interface) {}
  ~DeviceMemory() { release(); }

  /// Resizes the block to at least `bytes`; its contents are lost.
  int allocate(int64_t bytes);
  /// Frees the block; it then has 0 bytes.
  void release();
  int64_t bytes() const { return size; }
  /// The parts of the block as Halide device handles; valid until the next
  /// allocation.
  transfold_memory parts() const { return {handles.data()}; }

  /// Copies from the host to offset `to`.
  int upload(int64_t to, const void *from, int64_t bytes) const;
  /// Copies to the host from offset `from`, after waiting for all earlier
  /// kernels.
  int download(void *to, int64_t from, int64_t bytes) const;
  /// Copies the whole block `other`, of the same size, to this block. Some of
  /// Halide's runtimes wait for kernels first; Device::copyWithin does not.
  int copyAll(const DeviceMemory &other);
  /// Waits until all started work has finished.
  int synchronize();

private:
  /// Halide counts elements with 32 bits, so a large block has two dimensions:
  /// rows of words, each row a part.
  struct Words {
    std::array<halide_dimension_t, 2> dimensions = {};
    halide_buffer_t buffer = {};
  };
  class Range;

  const halide_device_interface_t *interface;
  /// Bytes of the block: those requested, rounded up to whole parts if it has
  /// several.
  int64_t size = 0;
  /// The whole block.
  Words all;
  std::deque<Words> others; // all parts but the first
  /// The device handles of all parts.
  std::vector<uint64_t> handles;

  /// Creates a handle for each part; releases the block if that fails.
  int describeParts(int32_t count);
  /// Splits the bytes at `offset` into pieces and calls `copy` with the buffer
  /// of a Range for each piece and with the number of bytes before it; returns
  /// the first code that is not 0.
  template <typename Copy>
  int copyRanges(int64_t offset, int64_t bytes, Copy copy) const;
};

/// Whether the driver of this kind of device is installed and finds a device
/// that can run code for `target`, in Halide's syntax.
bool isThere(const halide_device_interface_t *interface,
             std::string_view target = {});

} // namespace transfold::runtime::inline program
