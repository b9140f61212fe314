// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit of what one constraint may cost while it is compiled: a schema, an
// expression or a grammar that a client sent is hostile until it is compiled.

#pragma once

#include "base/Error.h"

#include <cstddef>

namespace transfold::runtime::inline constrain {

/// Thrown if a constraint needs more work or memory than it may have.
class TooMuchToCompile : public Error {
public:
  using Error::Error;
};

/// What is left for one constraint. Work is counted in visited nodes and edges
/// of automata, about 10 to 20 ns each, so that the limit does not depend on
/// the machine; memory in bytes of what is built.
class ConstraintBudget {
public:
  static constexpr size_t usualWork = 2'000'000, usualBytes = 12 << 20;

  explicit ConstraintBudget(size_t work = usualWork, size_t bytes = usualBytes)
      : workLeft(work), bytesLeft(bytes) {}

  void work(size_t units = 1) {
    if (units > workLeft)
      throw TooMuchToCompile("needs too much work; make it simpler");
    workLeft -= units;
  }
  void memory(size_t bytes) {
    if (bytes > bytesLeft)
      throw TooMuchToCompile("needs too much memory; make it simpler");
    bytesLeft -= bytes;
  }
  /// For what was temporary.
  void release(size_t bytes) { bytesLeft += bytes; }
  size_t remainingWork() const { return workLeft; }

private:
  size_t workLeft, bytesLeft;
};

} // namespace transfold::runtime::inline constrain
