// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template comes with a model that somebody else made: it may not run for
// ever, nor fill the memory.

#ifndef TRANSFOLD_RUNTIME_CHAT_LIMITS_H
#define TRANSFOLD_RUNTIME_CHAT_LIMITS_H

#include "runtime/Error.h"

#include <cstddef>

namespace transfold::runtime::chat {

struct Limits {
  size_t steps = 20'000'000; // nodes that are evaluated, items that are visited
  size_t bytes = size_t{512} << 20; // of all strings together that are made
  size_t output = size_t{64} << 20; // bytes of a prompt
  unsigned depth = 600;             // of calls and of nested expressions
};

/// What is left of the limits while a template is rendered.
class Budget {
public:
  explicit Budget(const Limits &limits) : limits(limits) {}

  /// Throws Error where the template takes too many steps.
  void step(size_t count = 1) {
    if (count > limits.steps - steps)
      fail("runs for more than {} steps: it may have no end", limits.steps);
    steps += count;
  }
  /// Of a string or list that is made. Throws Error.
  void make(size_t count) {
    if (count > limits.bytes - bytes)
      fail("makes more than {} MiB of texts", limits.bytes >> 20);
    bytes += count;
  }
  /// What the prompt has now. Throws Error.
  void output(size_t count) const {
    if (count > limits.output)
      fail("makes a prompt of more than {} MiB", limits.output >> 20);
  }
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

private:
  Limits limits;
  size_t steps = 0, bytes = 0;
  unsigned depth = 0;
};

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_LIMITS_H
