// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids of calls, by which later messages refer to them.

#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace transfold::runtime::serve {

/// The ids of one answer.
class CallIds {
public:
  /// `areShort`: 9 letters and digits; otherwise "call_" and 24 hexadecimal
  /// digits.
  CallIds(uint64_t seed, bool areShort) : random(seed), areShort(areShort) {}

  std::string next();

private:
  std::mt19937_64 random;
  bool areShort;
};

/// A seed for the ids of an answer: the turns of a conversation that all have
/// the same seed differ in their prompts.
uint64_t seedOfIds(uint64_t seed, std::span<const int32_t> prompt);

} // namespace transfold::runtime::serve
