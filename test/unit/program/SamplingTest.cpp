// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/sampling/Sampling.h"

#include "base/Error.h"
#include "runtime/steps/sampling/LogitsProcessors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace transfold;
using namespace transfold::runtime;

namespace {

constexpr float nan = NAN, infinity = INFINITY;

/// The number of times that each token was drawn, out of a thousand.
std::vector<int> draw(const SamplingOptions &options,
                      const std::vector<float> &logits) {
  Sampler sampler(options);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < 1000; ++i)
    ++counts[static_cast<size_t>(sampler.choose(logits, {}).token)];
  return counts;
}

std::string problem(const SamplingOptions &options,
                    const std::vector<float> &logits) {
  try {
    Sampler(options).choose(logits, {});
  } catch (const Error &error) {
    return error.what();
  }
  return "none";
}

TEST(Sampling, WhatIsNoLikelihoodIsRefused) {
  for (double temperature : {0.0, 1.0}) {
    SamplingOptions options{.temperature = temperature};
    for (size_t place : {0, 1, 2}) {
      std::vector<float> logits = {1, 2, 3};
      logits[place] = nan;
      EXPECT_NE(
          problem(options, logits)
              .find("returns NaN, as element " + std::to_string(place + 1)),
          std::string::npos);
      logits[place] = infinity;
      EXPECT_NE(problem(options, logits).find("returns infinity"),
                std::string::npos);
      logits[place] = -infinity;
      EXPECT_EQ(problem(options, logits), "none");
    }
    EXPECT_NE(problem(options, {-infinity, -infinity}).find("no token has any"),
              std::string::npos);
    options.suppressed = {0, 1};
    EXPECT_NE(problem(options, {1, 2}).find("every token is suppressed"),
              std::string::npos);
  }
}

TEST(Sampling, DrawsAsTheModelSays) {
  // e^0, e^1 and e^2 of 11.1
  std::vector<int> counts = draw({.temperature = 1}, {0, 1, 2});
  EXPECT_NEAR(counts[0], 90, 40);
  EXPECT_NEAR(counts[1], 245, 60);
  EXPECT_NEAR(counts[2], 665, 60);
}

/// The tokens that may be drawn, by the definitions of the cuts.
std::set<size_t> kept(const SamplingOptions &options,
                      const std::vector<float> &logits) {
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t token) {
    return std::pair(-logits[token], token);
  });
  auto weight = [&](size_t token) {
    return std::exp((logits[token] - logits[order[0]]) / options.temperature);
  };
  if (options.topK)
    order.resize(std::min(order.size(), static_cast<size_t>(options.topK)));
  double all = 0, sum = 0;
  for (size_t token : order)
    all += weight(token);
  std::set<size_t> result;
  for (size_t token : order) {
    if (sum < options.topP * all && weight(token) >= options.minP)
      result.insert(token);
    sum += weight(token);
  }
  return result;
}

/// A device may choose the token if only the logits matter.
TEST(Sampling, GreedyIsWithoutAnythingElse) {
  EXPECT_TRUE(Sampler({}).isGreedy());
  EXPECT_TRUE(Sampler({.topK = 5, .topP = 0.5, .seed = 3}).isGreedy());
  EXPECT_FALSE(Sampler({.temperature = 0.1}).isGreedy());
  EXPECT_FALSE(Sampler({.repetitionPenalty = 1.1}).isGreedy());
  EXPECT_FALSE(Sampler({.isScored = true}).isGreedy());
  EXPECT_FALSE(Sampler({.suppressed = {1}}).isGreedy());
  for (const TokenRules &rules :
       {TokenRules{.first = {1}}, TokenRules{.last = {1}},
        TokenRules{.suppressed = {1}}, TokenRules{.suppressedFirst = {1}},
        TokenRules{.excluded = {{1, 2}}}, TokenRules{.times = TimeRules{}}})
    EXPECT_FALSE(Sampler({.rules = rules}).isGreedy());
}

TEST(Sampling, Cuts) {
  std::vector<float> logits = {0.5f, 2, 1, 2, -1, 1.75f, 0.25f, 1.5f};
  for (int64_t topK : {0, 1, 3, 8, 20})
    for (double topP : {0.1, 0.4, 0.7, 1.0})
      for (double minP : {0.0, 0.5, 0.8}) {
        SamplingOptions options{
            .temperature = 2, .topK = topK, .topP = topP, .minP = minP};
        std::vector<int> counts = draw(options, logits);
        std::set<size_t> expected = kept(options, logits);
        for (size_t token = 0; token < counts.size(); ++token)
          EXPECT_EQ(counts[token] > 0, expected.contains(token))
              << topK << " " << topP << " " << minP << " token " << token;
      }
}

TEST(Sampling, TopOfManyTokens) {
  std::vector<float> logits(10000, -3);
  std::set<size_t> expected = {7, 500, 9999};
  for (size_t token : expected)
    logits[token] = 2;
  logits[20] = -1000; // its weight is 0
  for (int64_t topK : {3, 4}) {
    std::vector<int> counts = draw({.temperature = 1, .topK = topK}, logits);
    for (size_t token : expected)
      EXPECT_NEAR(counts[token], 333, 80);
    EXPECT_EQ(counts[0] > 0, topK == 4) << "of equal ones the first is kept";
    EXPECT_EQ(counts[1], 0);
  }
}

TEST(Sampling, LogProbabilitiesWhereTheyAreAskedFor) {
  std::vector<float> logits = {0, 1, 2};
  EXPECT_EQ(Sampler({}).choose(logits, {}).logProbability, 0);
  EXPECT_NEAR(Sampler({.isScored = true}).choose(logits, {}).logProbability,
              2 - std::log(1 + std::exp(1) + std::exp(2)), 1e-12);
}

TEST(Sampling, PenaltiesCountOnce) {
  std::vector<float> before = {2, -2, 3, 1};
  std::vector<double> scores(before.begin(), before.end());
  std::vector<int32_t> history = {0, 1, 0, 0, 7}; // 7 has no score
  const SamplingOptions options{.repetitionPenalty = 2};
  penaliseRepetition<float>(scores, {options, before, history, 0, 1});
  EXPECT_EQ(scores, (std::vector<double>{1, -4, 3, 1}));
}

/// OpenAI's definition: logit - presence · [occurred] - frequency · times, of
/// the tokens that were generated, without those of the prompt.
TEST(Sampling, PresenceAndFrequencyOfWhatWasGenerated) {
  std::vector<float> before = {2, -2, 3, 1};
  std::vector<double> scores(before.begin(), before.end());
  std::vector<int32_t> history = {3, 3, 0, 1, 0, 0, 7}; // 7 has no score
  const SamplingOptions options{.presencePenalty = 0.5,
                                .frequencyPenalty = 0.25};
  penalisePresence<float>(scores, {options, before, history, 2, 1});
  EXPECT_EQ(scores, (std::vector<double>{0.75, -2.75, 3, 1}));
  EXPECT_FALSE(Sampler(options).isGreedy());
}

} // namespace
