// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits for the tokens of a long text may give up. What goes through a text
// says so here, wherever it is: neither cuts nor models have to know who waits.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TABLES_PATIENCE_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TABLES_PATIENCE_H

#include <cstddef>
#include <functional>

namespace transfold::runtime {

class Patience {
public:
  /// Of this thread, as long as it lives. `look` is called now and then and may
  /// throw; it may be empty.
  explicit Patience(const std::function<void()> &look)
      : look(look), before(current) {
    current = look ? this : nullptr;
  }
  ~Patience() { current = before; }
  Patience(const Patience &) = delete;
  Patience &operator=(const Patience &) = delete;

  /// So much was done: about as much as a character takes.
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

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TABLES_PATIENCE_H
