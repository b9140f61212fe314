// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How prompts share steps: counted in steps, not in time.

#include "runtime/serve/engine/PromptShares.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace transfold::runtime::serve;

namespace {

using Tokens = std::vector<size_t>;

Tokens shares(const Tokens &rests, bool isTokenDue) {
  return promptShares(rests, isTokenDue, 512);
}

TEST(PromptShares, OneHasAll) {
  EXPECT_EQ(shares({}, false), Tokens());
  EXPECT_EQ(shares({3400}, false), Tokens{512});
  EXPECT_EQ(shares({3400}, true), Tokens{64});
  EXPECT_EQ(shares({30}, true), Tokens{30});
}

TEST(PromptShares, AShortOneIsReadAtOnce) {
  // And a short prompt does not wait for 512 tokens of others.
  EXPECT_EQ(shares({3400, 3}, false)[1], 3u);
  EXPECT_LE(shares({3400, 3}, false)[0], 128u + 64u);
  EXPECT_EQ(shares({3400, 3}, true)[1], 3u);
  EXPECT_EQ(shares({3400, 3}, true)[0], 61u);
  EXPECT_EQ(shares({3400, 2000, 40, 3}, true), (Tokens{16, 5, 40, 3}));
  // Several prompts that end fill a step.
  EXPECT_EQ(shares({100, 100, 100, 100}, false), (Tokens{100, 100, 100, 100}));
}

TEST(PromptShares, NoStepHasMoreThanItMay) {
  std::mt19937 random(1);
  for (int round = 0; round < 10000; ++round) {
    Tokens rests(1 + random() % 6);
    for (size_t &rest : rests)
      rest = 2 + random() % (random() % 2 ? 20 : 3000);
    const bool isTokenDue = random() % 2;
    Tokens given = shares(rests, isTokenDue);
    size_t sum = std::accumulate(given.begin(), given.end(), size_t{0});
    EXPECT_LE(sum, isTokenDue ? 64u : 512u);
    EXPECT_GT(sum, 0u);
    EXPECT_GT(given[0], 0u); // the oldest one makes progress
    for (size_t i = 0; i < rests.size(); ++i)
      EXPECT_LE(given[i], rests[i]);
  }
}

/// The number of steps until a prompt of so many tokens is read, while prompts
/// of `other` tokens arrive continuously, three at a time, and answers are
/// generated.
size_t stepsAmong(size_t tokens, size_t other) {
  Tokens rests = {tokens, other, other, other};
  for (size_t steps = 1;; ++steps) {
    Tokens given = shares(rests, true);
    for (size_t i = 0; i < rests.size(); ++i)
      rests[i] -= given[i];
    if (rests[0] == 0)
      return steps;
    for (size_t i = 1; i < rests.size(); ++i)
      rests[i] = rests[i] ? rests[i] : other;
  }
}

TEST(PromptShares, ALongOneGoesOnAmongShortOnes) {
  EXPECT_LE(stepsAmong(3400, 30), 3400u / 16 + 1);
  EXPECT_LE(stepsAmong(6800, 30), 2 * stepsAmong(3400, 30) + 1);
}

} // namespace
