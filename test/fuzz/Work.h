// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reader does, counted: the same on every machine, busy or not. The
// preset `fuzz` compiles each comparison of numbers with a call, which
// libFuzzer takes or, in a program without it, Work.cpp.

#ifndef TRANSFOLD_TEST_FUZZ_WORK_H
#define TRANSFOLD_TEST_FUZZ_WORK_H

#include <cstdint>
#include <functional>

namespace transfold::fuzz {

struct Work {
  uint64_t comparisons = 0; // of numbers, in our code and in headers
  uint64_t bytes = 0;       // that were searched, compared and moved
  uint64_t memory = 0;      // bytes that were asked for
};

/// What an action does.
Work workOf(const std::function<void()> &action);

} // namespace transfold::fuzz

#endif // TRANSFOLD_TEST_FUZZ_WORK_H
