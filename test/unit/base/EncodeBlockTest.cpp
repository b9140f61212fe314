// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes values into blocks, and decodes them again.

#include "base/numeric/BlockFormat.h"
#include "compiler/checkpoint/Format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace transfold;

namespace {

constexpr int numbersOfBlock = 32;
using Numbers = std::vector<float>;

std::vector<double> again(std::string_view name, const Numbers &numbers,
                          const Numbers &weights = {}) {
  const BlockFormat &format = *findBlockFormat(name);
  std::vector<std::byte> block(format.bytes);
  encodeBlock(format, numbers, weights, block.data());
  EXPECT_TRUE(hasFiniteScales(format, block.data()));
  std::vector<double> read(numbers.size());
  checkpoint::formatNamed(name).read(block.data(), 0, 1, read);
  return read;
}

double squaresOf(const Numbers &numbers, const std::vector<double> &read) {
  double sum = 0;
  for (size_t k = 0; k < numbers.size(); ++k)
    sum += (numbers[k] - read[k]) * (numbers[k] - read[k]);
  return sum;
}

Numbers randomBlock(std::mt19937 &random, float scale, float offset) {
  std::normal_distribution<float> normal;
  Numbers numbers(numbersOfBlock);
  for (float &x : numbers)
    x = offset + scale * normal(random);
  return numbers;
}

// The error caused by scales alone: small where float16 has all its digits,
// total where it underflows, and infinite beyond its range.
TEST(EncodeBlock, ScalesHaveARange) {
  std::mt19937 random(7);
  for (const char *name : {"q8_0", "q5_1", "q4_1"}) {
    const BlockFormat &format = *findBlockFormat(name);
    const Numbers numbers = randomBlock(random, 1, 0);
    auto lossOf = [&](float scale) {
      Numbers scaled = numbers;
      double squares = 0;
      for (float &x : scaled)
        squares += std::pow(x *= scale, 2);
      return squareOfScaleError(format, scaled) * numbersOfBlock / squares;
    };
    for (float scale : {1e-2f, 1.0f, 1e4f})
      EXPECT_LT(lossOf(scale), 1e-5) << name << " " << scale;
    for (float scale : {1e-9f, 1e-20f, 1e-40f})
      EXPECT_GT(lossOf(scale), 0.1) << name << " " << scale;
    for (float scale : {1e8f, 1e30f})
      EXPECT_TRUE(std::isinf(lossOf(scale))) << name << " " << scale;
    EXPECT_EQ(squareOfScaleError(format, Numbers(numbersOfBlock)), 0);
  }
}

// The error is at most half a step, plus the rounding of the scale to float16:
// 2^-11 of the largest value.
TEST(EncodeBlock, EightBitsAreNear) {
  std::mt19937 random(1);
  for (float scale : {1e-3f, 1.0f, 300.0f}) {
    Numbers numbers = randomBlock(random, scale, 0);
    std::vector<double> read = again("q8_0", numbers);
    float largest = 0;
    for (float x : numbers)
      largest = std::max(largest, std::abs(x));
    for (int k = 0; k < numbersOfBlock; ++k)
      EXPECT_LE(std::abs(numbers[k] - read[k]),
                largest * (0.501 / 127 + std::ldexp(1.0, -11)));
  }
}

// The search is never worse than mapping the extremes to codes 0 and 15, and
// better for nearly all blocks.
TEST(EncodeBlock, FewBitsAreSearched) {
  for (auto [name, codes, least] :
       {std::tuple("q4_1", 15.f, 60), {"q5_1", 31.f, 30}}) {
    std::mt19937 random(2);
    int better = 0;
    for (int round = 0; round < 100; ++round) {
      Numbers numbers = randomBlock(random, 1, 0.3f);
      const auto [low, high] = std::ranges::minmax(numbers);
      const float scale = static_cast<_Float16>((high - low) / codes),
                  minimum = static_cast<_Float16>(low);
      std::vector<double> plain;
      for (float x : numbers)
        plain.push_back(
            scale *
                std::clamp(std::nearbyint((x - minimum) / scale), 0.f, codes) +
            minimum);
      double own = squaresOf(numbers, again(name, numbers)),
             others = squaresOf(numbers, plain);
      EXPECT_LE(own, others * (1 + 1e-6));
      better += own < 0.95 * others;
    }
    EXPECT_GT(better, least) << name;
  }
}

// Values whose errors have larger weights get smaller errors: half of the block
// has a hundred times the weight of the other half.
TEST(EncodeBlock, ErrorsCountAsTheirWeightsSay) {
  std::mt19937 random(3);
  double plain = 0, weighed = 0;
  for (int round = 0; round < 100; ++round) {
    Numbers numbers = randomBlock(random, 1, 0.3f), weights(numbersOfBlock, 1);
    std::fill_n(weights.begin(), numbersOfBlock / 2, 100.0f);
    Numbers first(numbers.begin(), numbers.begin() + numbersOfBlock / 2);
    plain += squaresOf(first, again("q4_1", numbers));
    weighed += squaresOf(first, again("q4_1", numbers, weights));
  }
  EXPECT_LT(weighed, 0.9 * plain);
}

TEST(EncodeBlock, WhatHasNoWidth) {
  for (std::string_view name : {"q8_0", "q5_1", "q4_1"})
    for (float number : {0.0f, 0.5f, -2.0f, 1e-30f}) {
      std::vector<double> read = again(name, Numbers(numbersOfBlock, number));
      for (double each : read)
        EXPECT_NEAR(each, number, std::abs(number) / 1000 + 1e-7) << name;
    }
}

// Beyond the range of float16, blocks have the largest possible values, and
// these are finite.
TEST(EncodeBlock, WhatIsTooLarge) {
  Numbers numbers(numbersOfBlock, 1e30f);
  numbers[0] = -1e30f;
  for (std::string_view name : {"q8_0", "q5_1", "q4_1"}) {
    std::vector<double> read = again(name, numbers);
    EXPECT_TRUE(std::ranges::all_of(read, [](double x) {
      return std::isfinite(x);
    })) << name;
  }
}

} // namespace
