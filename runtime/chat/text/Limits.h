// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits for templates, which come from models of third parties: a template
// must not run forever, nor fill the memory.

#pragma once

#include "base/Error.h"
#include "base/NonCopyable.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace transfold::runtime::chat {

/// The limits of one rendering.
struct Limits {
  /// The number of evaluated nodes and visited items, plus one step for each
  /// `bytesOfStep` bytes copied, compared or searched.
  size_t steps = 20'000'000;
  size_t bytes = size_t{512} << 20; // memory held at the same time
  size_t output = size_t{64} << 20; // bytes of a prompt
  unsigned depth = 600;             // of calls and nested expressions
  /// Called regularly while a template runs; an exception that it throws ends
  /// the rendering (cancellation).
  std::function<void()> look = {};
};

/// What is left of the limits while a template is rendered. Texts, lists and
/// dicts are charged to the rendering of their thread (Counted.h), and
/// functions that process the bytes of a text report it (`work`), so that the
/// many filters and methods need no code for it.
class Budget {
public:
  explicit Budget(const Limits &limits) : limits(limits) {}

  /// Throws Error if the template takes too many steps.
  void step(size_t count = 1) {
    if (count > limits.steps - steps)
      fail("runs for more than {} steps: it may have no end", limits.steps);
    steps += count;
    if (limits.look && steps / stepsUntilLook != looks) {
      looks = steps / stepsUntilLook;
      limits.look();
    }
  }
  /// Number of steps taken, and the largest number of bytes held at the same
  /// time, for tests and measurements.
  size_t stepsSoFar() const { return steps; }
  /// Charges memory, which also counts as work. Throws Error.
  void take(size_t count) {
    step(count / bytesOfStep);
    if (held > limits.bytes || count > limits.bytes - held)
      fail("holds more than {} MiB of texts and lists", limits.bytes >> 20);
    held += count;
    most = std::max(most, held);
  }
  /// Memory may be older than the budget: more may be given back than was
  /// taken.
  void giveBack(size_t count) { held -= std::min(count, held); }
  size_t mostHeld() const { return most; }
  /// Checks the size of the prompt so far. Throws Error.
  void output(size_t count) const {
    if (count > limits.output)
      fail("makes a prompt of more than {} MiB", limits.output >> 20);
  }

  /// The budget of the current rendering of this thread; null if there is none.
  static Budget *now() { return current; }
  /// Makes a budget the current one of its thread as long as it lives.
  class Use : NonCopyable {
  public:
    explicit Use(Budget &budget) : before(current) { current = &budget; }
    ~Use() { current = before; }

  private:
    Budget *before;
  };

  /// One level of nesting as long as it lives. Throws Error if it is too deep.
  class Level : NonCopyable {
  public:
    explicit Level(Budget &budget) : budget(budget) {
      if (budget.depth == budget.limits.depth)
        fail("goes deeper than {} levels: a macro may call itself endlessly",
             budget.limits.depth);
      ++budget.depth;
    }
    ~Level() { --budget.depth; }

  private:
    Budget &budget;
  };

  /// Number of bytes that are copied, compared or searched in about the time of
  /// a step.
  static constexpr size_t bytesOfStep = 256;

private:
  static constexpr size_t stepsUntilLook = 1 << 14;
  static inline thread_local Budget *current = nullptr;

  Limits limits;
  size_t steps = 0, looks = 0, held = 0, most = 0;
  unsigned depth = 0;
};

/// Reports that `bytes` bytes are processed, each at the cost of `price` copied
/// bytes. Throws Error.
inline void work(size_t bytes, size_t price = 1) {
  if (Budget *budget = Budget::now())
    budget->step(bytes / Budget::bytesOfStep * price +
                 bytes % Budget::bytesOfStep * price / Budget::bytesOfStep);
}
/// Reports `count` steps. Throws Error.
inline void step(size_t count = 1) {
  if (Budget *budget = Budget::now())
    budget->step(count);
}
/// The price of a byte if characters are processed one by one.
inline constexpr size_t priceOfCharacters = 16;

} // namespace transfold::runtime::chat
