// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs operations on sequences in random order, for the tests of their caches.
// A type of sequence has `tokens`, run, goBackTo, copy and expectReadable.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace transfold::test {

inline std::vector<int32_t> randomTokens(std::mt19937 &random, size_t count) {
  std::vector<int32_t> tokens(count);
  for (int32_t &token : tokens)
    token = static_cast<int32_t>(1 + random() % 1000000);
  return tokens;
}

/// One sequence grows, is shortened, or becomes a copy of another one.
template <typename Sequence>
void goOnSomehow(std::vector<Sequence> &sequences, std::mt19937 &random) {
  Sequence &sequence = sequences[random() % sequences.size()];
  size_t length = sequence.tokens.size();
  switch (random() % 8) {
  case 0:
    sequence.goBackTo(length - random() % (length + 1));
    break;
  case 1:
    sequence.goBackTo(length - std::min<size_t>(length, random() % 100));
    break;
  case 2:
  case 3:
    if (Sequence &other = sequences[random() % sequences.size()];
        &other != &sequence)
      sequence.copy(other);
    break;
  default:
    if (length < 30000)
      sequence.run(randomTokens(random, 1 + random() % 900));
  }
}

/// Calls `act` repeatedly; each sequence must be readable after each call.
template <typename Sequence, typename Act>
void expectReadableInAnyOrder(const std::vector<Sequence> &sequences, Act act) {
  for (int round = 0; round < 400; ++round) {
    act();
    for (const Sequence &each : sequences)
      each.expectReadable();
    if (::testing::Test::HasFatalFailure())
      FAIL() << "after round " << round;
  }
}

} // namespace transfold::test
