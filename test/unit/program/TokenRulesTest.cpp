// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forced and forbidden tokens: the rules of transformers' logits processors,
// one by one and together.

#include "runtime/program/metadata/TokenRules.h"

#include <gtest/gtest.h>

#include <cmath>

using transfold::runtime::TokenRules;

namespace {

constexpr double never = -INFINITY;

std::vector<double> applied(const TokenRules &rules,
                            std::vector<int32_t> tokens, size_t prompt,
                            int64_t most) {
  std::vector<double> scores = {-1, -2, -3, -4};
  rules.apply(scores, {tokens, prompt, most});
  return scores;
}

TEST(TokenRulesTest, NothingIsAskedByDefault) {
  EXPECT_EQ(applied({}, {0}, 1, 1), (std::vector<double>{-1, -2, -3, -4}));
}

TEST(TokenRulesTest, TheFirstIsForcedBehindOneToken) {
  TokenRules rules{.first = {2}};
  std::vector<double> forced = {never, never, 0, never};
  EXPECT_EQ(applied(rules, {0}, 1, 8), forced);
  EXPECT_NE(applied(rules, {0, 2}, 1, 8), forced);
  EXPECT_NE(applied(rules, {0, 1}, 2, 8), forced)
      << "a longer prompt has begun";
}

TEST(TokenRulesTest, TheLastIsForcedWhereNoMoreFit) {
  TokenRules rules{.first = {2}, .last = {1, 3}};
  std::vector<double> forced = {never, 0, never, 0};
  EXPECT_NE(applied(rules, {0, 2}, 1, 3), forced);
  EXPECT_EQ(applied(rules, {0, 2, 0}, 1, 3), forced);
  EXPECT_EQ(applied(rules, {0}, 1, 1), forced) << "the end before the first";
}

/// The last token is either the likeliest, or forced instead of another one.
TEST(TokenRulesTest, AnEndThatIsForcedCuts) {
  TokenRules rules{.last = {1, 3}};
  const std::vector<int32_t> tokens = {0, 2, 0};
  const TokenRules::Place atTheEnd{tokens, 1, 3}, before{tokens, 1, 4};
  const std::vector<double> other = {-1, -2, -3, -4}, end = {-3, -1, -2, -4};
  EXPECT_TRUE(rules.cuts(other, atTheEnd));
  EXPECT_FALSE(rules.cuts(end, atTheEnd));
  EXPECT_FALSE(rules.cuts(other, before));
  EXPECT_FALSE(TokenRules{}.cuts(other, atTheEnd));
}

TEST(TokenRulesTest, SuppressedNeverAndAtTheBeginning) {
  TokenRules rules{.suppressed = {0}, .suppressedFirst = {3}};
  EXPECT_EQ(applied(rules, {1, 1}, 2, 8),
            (std::vector<double>{never, -2, -3, never}));
  EXPECT_EQ(applied(rules, {1, 1, 1}, 2, 8),
            (std::vector<double>{never, -2, -3, -4}));
  // The logits first decide after a forced token.
  rules.first = {2};
  EXPECT_EQ(applied(rules, {1, 2}, 1, 8),
            (std::vector<double>{never, -2, -3, never}));
  EXPECT_EQ(applied(rules, {1, 1}, 2, 8),
            (std::vector<double>{never, -2, -3, never}));
}

TEST(TokenRulesTest, WordsAreNotCompleted) {
  TokenRules rules{.excluded = {{3}, {0, 1, 2}, {}}};
  EXPECT_EQ(applied(rules, {0, 1}, 1, 8),
            (std::vector<double>{-1, -2, never, never}));
  EXPECT_EQ(applied(rules, {1}, 1, 8),
            (std::vector<double>{-1, -2, -3, never}));
}

} // namespace
