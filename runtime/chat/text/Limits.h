// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template comes with a model that somebody else made: it may not run for
// ever, nor fill the memory.

#ifndef TRANSFOLD_RUNTIME_CHAT_TEXT_LIMITS_H
#define TRANSFOLD_RUNTIME_CHAT_TEXT_LIMITS_H

#include "runtime/Error.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace transfold::runtime::chat {

struct Limits {
  /// Nodes that are evaluated, items that are visited, and so many bytes
  /// (`bytesOfStep`) that are copied, compared or searched.
  size_t steps = 20'000'000;
  size_t bytes = size_t{512} << 20; // of what is held at a time
  size_t output = size_t{64} << 20; // bytes of a prompt
  unsigned depth = 600;             // of calls and of nested expressions
  /// Called now and then while a template runs. What it throws ends the
  /// rendering: somebody who waits may have given up.
  std::function<void()> look = {};
};

/// What is left of the limits while a template is rendered. Texts, lists and
/// dicts take their memory of the rendering that their thread is at
/// (Counted.h), and those who go through the bytes of a text say so (`work`):
/// neither hangs on the filters and methods, of which there are many.
class Budget {
public:
  explicit Budget(const Limits &limits) : limits(limits) {}

  /// Throws Error where the template takes too many steps.
  void step(size_t count = 1) {
    if (count > limits.steps - steps)
      fail("runs for more than {} steps: it may have no end", limits.steps);
    steps += count;
    if (limits.look && steps / stepsUntilLook != looks) {
      looks = steps / stepsUntilLook;
      limits.look();
    }
  }
  size_t stepsSoFar() const { return steps; }
  /// Memory that is taken, which is work as well. Throws Error.
  void take(size_t count) {
    step(count / bytesOfStep);
    if (held > limits.bytes || count > limits.bytes - held)
      fail("holds more than {} MiB of texts and lists", limits.bytes >> 20);
    held += count;
    most = std::max(most, held);
  }
  void giveBack(size_t count) { held -= std::min(count, held); }
  size_t mostHeld() const { return most; }
  /// What the prompt has now. Throws Error.
  void output(size_t count) const {
    if (count > limits.output)
      fail("makes a prompt of more than {} MiB", limits.output >> 20);
  }

  /// Of the rendering that this thread is at; null where there is none.
  static Budget *now() { return current; }
  /// Makes a budget the one of its thread as long as it lives.
  class Use {
  public:
    explicit Use(Budget &budget) : before(current) { current = &budget; }
    ~Use() { current = before; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    Budget *before;
  };

  /// One level further down as long as it lives. Throws Error.
  class Level {
  public:
    explicit Level(Budget &budget) : budget(budget) {
      if (budget.depth == budget.limits.depth)
        fail("goes deeper than {} levels: a macro may call itself for ever",
             budget.limits.depth);
      ++budget.depth;
    }
    ~Level() { --budget.depth; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;

  private:
    Budget &budget;
  };

  /// Bytes that are copied, compared or searched in about the time of a step.
  static constexpr size_t bytesOfStep = 256;

private:
  static constexpr size_t stepsUntilLook = 1 << 14;
  static inline thread_local Budget *current = nullptr;

  Limits limits;
  size_t steps = 0, looks = 0, held = 0, most = 0;
  unsigned depth = 0;
};

/// Says that so many bytes are gone through, each of which costs as much as
/// `price` that are copied. Throws Error.
inline void work(size_t bytes, size_t price = 1) {
  if (Budget *budget = Budget::now())
    budget->step(bytes / Budget::bytesOfStep * price +
                 bytes % Budget::bytesOfStep * price / Budget::bytesOfStep);
}
inline void step(size_t count = 1) {
  if (Budget *budget = Budget::now())
    budget->step(count);
}
/// The price of a byte where characters are looked at one by one.
inline constexpr size_t priceOfCharacters = 16;

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_TEXT_LIMITS_H
