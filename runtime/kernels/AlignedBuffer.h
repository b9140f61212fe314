// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that grows and is reused: arguments, results and scratch memory of
// kernels.

#pragma once

#include "base/Error.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace transfold::runtime::inline kernels {

/// Thrown if memory cannot be allocated.
class OutOfMemory : public Error {
public:
  using Error::Error;
};

/// A buffer aligned for kernels; its capacity never shrinks.
class AlignedBuffer {
public:
  static constexpr size_t alignment = 64; // a cache line, an AVX-512 vector

  /// Returns at least `bytes` bytes; the previous contents may be lost.
  /// Allocates only if that is more than ever before. Throws OutOfMemory.
  uint8_t *reserve(int64_t bytes) {
    size_t wanted = bytes > 0 ? static_cast<size_t>(bytes) : 1;
    if (wanted > capacity) {
      size_t rounded = (wanted + alignment - 1) / alignment * alignment;
      memory.reset();
      capacity = 0;
      memory.reset(
          static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded)));
      if (!memory)
        throw OutOfMemory(
            fmt::format("out of memory: {} bytes are needed", rounded));
      capacity = rounded;
    }
    return memory.get();
  }

  /// The memory as elements of type T; null before the first reserve().
  template <typename T> T *as() const {
    return reinterpret_cast<T *>(memory.get());
  }

private:
  /// std::aligned_alloc() pairs with free(), not with delete.
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  size_t capacity = 0;
};

} // namespace transfold::runtime::inline kernels
