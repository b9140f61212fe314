// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of a reader: the same on every machine and under any load.
// The preset `fuzz` compiles each comparison of integers with a call to
// libFuzzer or, in a program without it, to Work.cpp.

#pragma once

#include <cstdint>
#include <functional>

namespace transfold::fuzz {

struct Work {
  uint64_t comparisons = 0; // of numbers, in our code and in headers
  uint64_t bytes = 0;       // that were searched, compared and moved
  uint64_t memory = 0;      // bytes that were asked for
};

/// The work of an action.
Work workOf(const std::function<void()> &action);

} // namespace transfold::fuzz
