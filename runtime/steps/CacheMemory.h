// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address space for what a sequence keeps; the system gives memory where it is
// first written, and takes back what is no longer needed.

#ifndef TRANSFOLD_RUNTIME_STEPS_CACHEMEMORY_H
#define TRANSFOLD_RUNTIME_STEPS_CACHEMEMORY_H

#include <cstddef>
#include <cstdint>
#include <utility>

namespace transfold::runtime {

class CacheMemory {
public:
  CacheMemory() = default;
  /// Throws Error where there is none.
  explicit CacheMemory(int64_t bytes);
  CacheMemory(CacheMemory &&other) noexcept { swap(other); }
  CacheMemory &operator=(CacheMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CacheMemory();

  uint8_t *data() const { return memory; }
  /// Whether the system gives so many bytes at the moment.
  static bool isThere(int64_t bytes);
  /// Gives back the pages that begin and end in [begin, end), both in bytes.
  /// They read as zeros from now on, where the system can do that; else they
  /// stay as they are.
  void giveBack(int64_t begin, int64_t end);
  static int64_t pageBytes();

private:
  uint8_t *memory = nullptr;
  size_t bytes = 0;

  void swap(CacheMemory &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_CACHEMEMORY_H
