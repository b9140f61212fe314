// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address space for the caches of a sequence. The system provides memory for a
// page when it is first written, and takes back pages that are no longer
// needed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace transfold::runtime::inline steps {

/// Owns a range of address space. Can be moved, not copied.
class CacheMemory {
public:
  CacheMemory() = default;
  /// Throws Error if the system refuses the address space.
  explicit CacheMemory(int64_t bytes);
  CacheMemory(CacheMemory &&other) noexcept { swap(other); }
  CacheMemory &operator=(CacheMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CacheMemory();

  uint8_t *data() const { return memory; }
  /// Whether the system currently grants so many bytes.
  static bool isThere(int64_t bytes);
  /// Returns the pages that lie completely in [begin, end), in bytes, to the
  /// system. Afterwards they read as zeros where the system supports it
  /// (Linux); otherwise they are unchanged.
  void giveBack(int64_t begin, int64_t end);
  static int64_t pageBytes();

private:
  /// Null if there is none: by default, and after a move.
  uint8_t *memory = nullptr;
  size_t bytes = 0;

  void swap(CacheMemory &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }
};

} // namespace transfold::runtime::inline steps
