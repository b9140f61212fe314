// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All sampling parameters, from the smallest to the largest values and in
// combination, with logits of all kinds: only tokens that are allowed are
// drawn, with the frequencies of the reference in double.

#include "test/unit/program/SamplingReference.h"

#include "base/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace transfold;
using namespace transfold::runtime;
using namespace transfold::test;

namespace {

constexpr double infinity = INFINITY;
constexpr float most = std::numeric_limits<float>::max();
constexpr float denormal = std::numeric_limits<float>::denorm_min();

const std::vector<std::vector<float>> logitsOfAllKinds = {
    {0},
    {0, 0, 0, 0},
    {-7, -7, -7},
    {1, 2, 3, 4, 5, 6, 7, 8},
    {3, 1, 2, 3, -1, 3},
    {20, 19.99999F, 1, -20},
    {most, 0, -most},
    {most, most, -most, -most},
    {-most, -most},
    {0, -infinity, 0, -infinity},
    {-infinity, -infinity, 5},
    {denormal, 0, -denormal},
    {1e30F, 1e30F, 9.9e29F},
    {100, 99, 98, 12, 11, 10, -1e30F},
};

/// A deviation of more than 6 σ does not happen by chance in these tests.
void compare(const SamplingOptions &options, std::span<const float> logits,
             std::span<const int32_t> history) {
  constexpr int draws = 100;
  constexpr double rounding = 1e-5; // accumulated rounding of float32
  std::vector<double> more = drawnOf(options, logits, history, rounding);
  std::vector<double> less = drawnOf(options, logits, history, -rounding);
  std::vector<int> counts(logits.size());
  Sampler sampler(options);
  for (int i = 0; i < draws; ++i) {
    auto token = sampler.choose(logits, history).token;
    ASSERT_GE(token, 0);
    ASSERT_LT(static_cast<size_t>(token), logits.size());
    ++counts[static_cast<size_t>(token)];
  }
  for (size_t token = 0; token < logits.size(); ++token) {
    ASSERT_FALSE(counts[token] && more[token] == 0)
        << "token " << token << " was cut";
    // Where both agree, rounding does not decide.
    if ((more[token] > 0) != (less[token] > 0) ||
        std::abs(more[token] - less[token]) > 1e-3)
      return;
  }
  for (size_t token = 0; token < logits.size(); ++token) {
    double expected = more[token] * draws;
    ASSERT_NEAR(counts[token], expected,
                6 * std::sqrt(expected * (1 - more[token])) + 2)
        << "token " << token;
  }
}

std::string nameOf(const SamplingOptions &o, size_t kind) {
  return fmt::format("logits {}, temperature {}, top-k {}, top-p {}, min-p {}, "
                     "penalty {}",
                     kind, o.temperature, o.topK, o.topP, o.minP,
                     o.repetitionPenalty);
}

TEST(SamplingNumbers, AnAllowedTokenAsOftenAsItIsLikely) {
  const double least = std::numeric_limits<double>::denorm_min();
  const int32_t before[] = {0, 2, 2, 90};
  for (size_t kind = 0; kind < logitsOfAllKinds.size(); ++kind)
    for (double temperature :
         {0.0, least, 1e-300, 1e-20, 1e-17, 1e-15, 1e-3, 0.7, 1.0, 100.0})
      for (int64_t topK :
           {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{1} << 30})
        for (double topP :
             {0.0, least, 1e-20, 0.5, std::nextafter(1.0, 0.0), 1.0})
          for (double minP :
               {0.0, least, 1e-20, 0.3, std::nextafter(1.0, 0.0), 1.0})
            for (double penalty : {1.0, 0.01, 100.0}) {
              SamplingOptions options{.temperature = temperature,
                                      .topK = topK,
                                      .topP = topP,
                                      .minP = minP,
                                      .repetitionPenalty = penalty,
                                      .seed = kind};
              SCOPED_TRACE(nameOf(options, kind));
              compare(options, logitsOfAllKinds[kind], before);
              if (HasFatalFailure())
                return;
            }
}

/// A large vocabulary: the sums of its weights, and the threshold below which
/// no token is drawn.
TEST(SamplingNumbers, ManyTokensThatAreEquallyLikely) {
  std::vector<float> logits(200000, 12.5F);
  for (double temperature : {1e-300, 1e-20, 1.0, 100.0})
    for (double topP : {0.0, 1e-300, 0.9, 1.0}) {
      Sampler sampler({.temperature = temperature, .topP = topP, .seed = 1});
      int32_t token = sampler.choose(logits, {}).token;
      EXPECT_GE(token, 0);
      EXPECT_LT(token, 200000);
    }
}

TEST(SamplingNumbers, WhatIsNoLogitIsRefused) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity()})
    for (double temperature : {0.0, 1e-20, 1.0}) {
      std::vector<float> logits = {1, bad, 2};
      EXPECT_THROW(Sampler({.temperature = temperature}).choose(logits, {}),
                   Error);
    }
}

/// The sampler refuses parameters out of their ranges even if the caller did
/// not check them.
TEST(SamplingNumbers, NumbersOutsideOfTheirRangesAreRefused) {
  forEachSamplingField(
      []<typename Number>(const SamplingField<Number> &field, size_t) {
        auto isRefused = [&](Number number) {
          SamplingOptions options;
          options.*field.member = number;
          EXPECT_THROW(Sampler{options}, Error) << field.name << " " << number;
        };
        if constexpr (std::is_integral_v<Number>) {
          for (Number bad :
               {field.range.least - 1, field.range.most + 1, INT64_MAX})
            isRefused(bad);
        } else {
          for (Number bad :
               {std::nextafter(field.range.least, -infinity),
                std::nextafter(field.range.most, infinity), 1e300, infinity,
                -infinity, std::numeric_limits<double>::quiet_NaN()})
            isRefused(bad);
        }
      });
}

} // namespace
