// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of two series of given times counts as faster.

#include "compiler/driver/tune/InterleavedTiming.h"

#include <gtest/gtest.h>

using namespace transfold::driver;

TEST(InterleavedTiming, ComparesWhatRanInTheSameRound) {
  // A machine that slows down affects both series.
  TurnComparison comparison =
      compareTurns({100, 110, 120, 130, 140}, {90, 99, 108, 117, 126});
  EXPECT_DOUBLE_EQ(comparison.ratio, 0.9);
  EXPECT_DOUBLE_EQ(comparison.before, 120);
  EXPECT_DOUBLE_EQ(comparison.after, 108);
  EXPECT_EQ(comparison.won, 5U);
  EXPECT_TRUE(comparison.isFaster(leastGain));
  EXPECT_EQ(comparison.text(), "faster in 5 of 5 rounds");
}

TEST(InterleavedTiming, WantsFiveRounds) {
  EXPECT_FALSE(compareTurns({}, {}).isFaster(0));
  EXPECT_FALSE(compareTurns({2, 2, 2, 2}, {1, 1, 1, 1}).isFaster(leastGain));
  EXPECT_TRUE(
      compareTurns({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}).isFaster(leastGain));
}

TEST(InterleavedTiming, WantsFourRoundsOfFive) {
  EXPECT_TRUE(
      compareTurns({2, 2, 2, 2, 2}, {1, 1, 1, 1, 9}).isFaster(leastGain));
  EXPECT_FALSE(
      compareTurns({2, 2, 2, 2, 2}, {1, 1, 1, 9, 9}).isFaster(leastGain));
}

TEST(InterleavedTiming, WantsMoreThanNoise) {
  const Times rule(10, 100.0);
  EXPECT_FALSE(compareTurns(rule, Times(10, 98.0)).isFaster(leastGain));
  EXPECT_TRUE(compareTurns(rule, Times(10, 98.0)).isFaster(0));
  EXPECT_FALSE(compareTurns(rule, rule).isFaster(0));
}

TEST(InterleavedTiming, ChoosesTheFastestOfThoseThatAreFaster) {
  const Times rule(10, 100.0);
  EXPECT_EQ(chooseFastest(rule, {}), std::nullopt);
  EXPECT_EQ(chooseFastest(rule, {Times(10, 99.0), Times(10, 101.0)}),
            std::nullopt);
  EXPECT_EQ(
      chooseFastest(rule, {Times(10, 95.0), Times(10, 90.0), Times(10, 93.0)}),
      1U);
}
