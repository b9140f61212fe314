// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation of long tokenizations. Code that processes a text reports its
// progress here, at any depth of the call stack, so that the stages need no
// parameter for it.

#pragma once

#include "base/NonCopyable.h"

#include <cstddef>
#include <functional>

namespace transfold::runtime::inline tokenizer {

/// Registers a cancellation check for the current thread.
class Patience : NonCopyable {
public:
  /// Active on this thread as long as it lives. `look` is called regularly and
  /// may throw; it may be empty.
  explicit Patience(const std::function<void()> &look)
      : look(look), before(current) {
    current = look ? this : nullptr;
  }
  ~Patience() { current = before; }

  /// Reports `count` units of work, each about that of one character.
  static void step(size_t count = 1) {
    constexpr size_t until = 1 << 12;
    if (!current || (current->steps += count) < until)
      return;
    current->steps = 0;
    current->look();
  }

private:
  const std::function<void()> &look;
  Patience *before;
  size_t steps = 0;

  static inline thread_local Patience *current = nullptr;
};

} // namespace transfold::runtime::inline tokenizer
