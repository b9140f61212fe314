// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sines at another rate: those below the new Nyquist frequency are preserved,
// others vanish.

#include "runtime/audio/Resampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

using transfold::runtime::Resampler;

namespace {

/// An infinite sine of the given frequency.
Resampler::Read sine(double frequency, double rate) {
  return [=](int64_t first, std::span<float> to) {
    for (float &sample : to)
      sample =
          static_cast<float>(std::sin(2 * std::numbers::pi * frequency *
                                      static_cast<double>(first++) / rate));
  };
}

std::vector<float> made(int64_t from, int64_t to, const Resampler::Read &read,
                        int64_t first, size_t count) {
  std::vector<float> samples(count);
  Resampler(from, to).make(first, samples, read);
  return samples;
}

/// The largest difference from that sine at the new rate, times `factor`.
double error(int64_t from, int64_t to, double frequency, double factor) {
  constexpr int64_t first = 1000000007;
  std::vector<float> found =
      made(from, to, sine(frequency, static_cast<double>(from)), first, 500);
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double time = static_cast<double>(first + static_cast<int64_t>(i)) /
                  static_cast<double>(to);
    double expected =
        factor * std::sin(2 * std::numbers::pi * frequency * time);
    worst = std::max(worst, std::abs(found[i] - expected));
  }
  return worst;
}

constexpr struct {
  int64_t from, to;
} rates[] = {{44100, 16000}, {48000, 16000}, {8000, 16000},  {11025, 16000},
             {22050, 16000}, {96000, 16000}, {44101, 16000}, {16000, 48000}};

TEST(ResamplerTest, WhatTheNewRateHoldsStays) {
  for (auto [from, to] : rates)
    for (double share : {0.01, 0.3, 0.6, 0.9}) {
      double frequency = share * static_cast<double>(std::min(from, to)) / 2;
      EXPECT_LT(error(from, to, frequency, 1), 1e-4)
          << from << " to " << to << ", " << frequency << " Hz";
    }
}

TEST(ResamplerTest, WhatItDoesNotHoldVanishes) {
  for (auto [from, to] : rates) {
    if (from <= to)
      continue;
    double half = static_cast<double>(to) / 2,
           most = static_cast<double>(from) / 2;
    for (double frequency : {half, 0.5 * (half + most), 0.99 * most})
      EXPECT_LT(error(from, to, frequency, 0), 1e-4) // 80 dB
          << from << " to " << to << ", " << frequency << " Hz";
  }
}

TEST(ResamplerTest, AnyPartIsMadeByItself) {
  auto read = sine(440, 44100);
  std::vector<float> whole = made(44100, 16000, read, 0, 10000);
  std::vector<float> part = made(44100, 16000, read, 5003, 100);
  EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(5003, 100)));
}

TEST(ResamplerTest, AConstantStays) {
  auto one = [](int64_t, std::span<float> to) { std::ranges::fill(to, 0.5f); };
  for (float sample : made(44100, 16000, one, 7, 1000))
    EXPECT_NEAR(sample, 0.5, 1e-6);
}

TEST(ResamplerTest, HowManyThereAre) {
  EXPECT_EQ(Resampler(44100, 16000).samples(44100), 16000);
  EXPECT_EQ(Resampler(44100, 16000).samples(44101), 16001);
  EXPECT_EQ(Resampler(44100, 16000).samples(0), 0);
  EXPECT_EQ(Resampler(8000, 16000).samples(3), 6);
  EXPECT_EQ(Resampler(767999, 16000).samples(int64_t{1} << 40), 22906522072);
}

} // namespace
