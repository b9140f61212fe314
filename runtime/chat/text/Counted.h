// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accounting: the memory of a template's values counts toward the budget
// of its rendering as long as it is held.

#pragma once

#include "runtime/chat/text/Limits.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::runtime::chat {

/// An allocator that charges the current budget.
template <typename T> struct Counted {
  using value_type = T;

  Counted() = default;
  template <typename Other> Counted(const Counted<Other> &) {}

  /// Throws Error if the rendering holds too much memory.
  T *allocate(size_t count) {
    if (Budget *budget = Budget::now())
      budget->take(sizeOf(count));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *pointer, size_t count) {
    std::allocator<T>().deallocate(pointer, count);
    if (Budget *budget = Budget::now())
      budget->giveBack(sizeOf(count));
  }
  friend bool operator==(const Counted &, const Counted &) { return true; }

private:
  /// Includes the overhead of the system's allocator.
  static size_t sizeOf(size_t count) {
    constexpr size_t beside = 16;
    return count > (SIZE_MAX - beside) / sizeof(T) ? SIZE_MAX
                                                   : count * sizeof(T) + beside;
  }
};

/// Containers whose memory is charged.
using CountedString =
    std::basic_string<char, std::char_traits<char>, Counted<char>>;
template <typename T> using CountedVector = std::vector<T, Counted<T>>;

/// Puts a value into shared memory that is charged.
template <typename T> std::shared_ptr<const T> makeCounted(T value) {
  return std::allocate_shared<const T>(Counted<T>(), std::move(value));
}

} // namespace transfold::runtime::chat
