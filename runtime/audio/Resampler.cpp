// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kaiser's formulas: for an attenuation of A = 90 dB in the stop band, the
// window has β = 0.1102 (A - 8.7) = 8.96, and the transition band is (A - 8) /
// (2.285 · 2 · 64 π) = 0.089 of half the lower rate with 64 zero crossings on
// either side. The transition band lies below half the lower rate, so that
// there is no aliasing: its middle is at 0.955, and all frequencies from 0 to
// 0.91 pass. For speech at 16 kHz that is 7.3 kHz.

#include "runtime/audio/Resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace transfold::runtime::inline audio {

namespace {

/// Shape of the window, cutoff in units of half the lower rate, and zero
/// crossings of the sinc on either side, as derived above.
constexpr double beta = 8.96, middle = 0.955, crossings = 64;
/// 4 MiB; from 44100 to 16000 there are 160 phases of 354 weights.
constexpr int64_t mostWeights = 1 << 20;
/// Number of new samples for which the old samples are read at once.
constexpr int64_t block = 4096;

/// The modified Bessel function of the first kind of order 0, by its series;
/// not every C++ library has it.
double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

/// sin(πx) / (πx), with the limit 1 at 0, where the quotient is 0 / 0.
double sinc(double x) {
  x *= std::numbers::pi;
  return std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
}

} // namespace

Resampler::Resampler(int64_t from, int64_t to) {
  const int64_t common = std::gcd(from, to);
  old = from / common;
  made = to / common;
  const double ratio = static_cast<double>(made) / static_cast<double>(old);
  cutoff = middle * std::min(1.0, ratio);
  halfWidth = static_cast<int64_t>(std::ceil(crossings / cutoff));
  const auto width = static_cast<size_t>(2 * halfWidth);
  // If the ratio in lowest terms is large, hardly any two samples share a
  // phase, and a table would be larger than it is useful.
  if (made > mostWeights / (2 * halfWidth))
    return;
  phases.resize(static_cast<size_t>(made) * width);
  for (int64_t phase = 0; phase < made; ++phase)
    weigh(phase,
          std::span(phases).subspan(static_cast<size_t>(phase) * width, width));
}

/// Computes the weights of a phase. The first weight belongs to the old sample
/// halfWidth - 1 positions before the last one that is not after the new
/// sample. The weights sum to 1, so that a constant signal is preserved.
void Resampler::weigh(int64_t phase, std::span<float> weights) const {
  const double place = static_cast<double>(phase) / static_cast<double>(made);
  double sum = 0;
  auto weight = [&](size_t i) {
    double x =
        static_cast<double>(i) - static_cast<double>(halfWidth - 1) - place;
    double edge = x / static_cast<double>(halfWidth);
    return sinc(cutoff * x) *
           bessel(beta * std::sqrt(std::max(0.0, 1 - edge * edge)));
  };
  for (size_t i = 0; i < weights.size(); ++i)
    sum += weight(i);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(weight(i) / sum);
}

int64_t Resampler::samples(int64_t count) const {
  // Computed in two parts, so that the products fit in 64 bits for all possible
  // files.
  return count / old * made + (count % old * made + old - 1) / old;
}

void Resampler::make(int64_t first, std::span<float> to,
                     const Read &read) const {
  const auto width = static_cast<size_t>(2 * halfWidth);
  // ⌊n · old / made⌋, the last old sample that is not after new sample n. As in
  // samples(), the whole multiples of `made` are split off against overflow.
  auto oldBefore = [&](int64_t n) {
    return n / made * old + n % made * old / made;
  };
  // Blocks bound the memory for old samples, and neighboring new samples share
  // most of them.
  std::vector<float> around, computed(phases.empty() ? width : 0);
  while (!to.empty()) {
    const auto count =
        std::min<int64_t>(static_cast<int64_t>(to.size()), block);
    const int64_t begin = oldBefore(first) - (halfWidth - 1);
    const int64_t end = oldBefore(first + count - 1) + halfWidth + 1;
    around.resize(static_cast<size_t>(end - begin));
    read(begin, around);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t n = first + i, phase = n % made * old % made;
      std::span<const float> weights = computed;
      if (phases.empty())
        weigh(phase, computed);
      else
        weights = std::span(phases).subspan(static_cast<size_t>(phase) * width,
                                            width);
      const float *from =
          &around[static_cast<size_t>(oldBefore(n) - (halfWidth - 1) - begin)];
      to[static_cast<size_t>(i)] =
          std::inner_product(weights.begin(), weights.end(), from, 0.0f);
    }
    first += count;
    to = to.subspan(static_cast<size_t>(count));
  }
}

} // namespace transfold::runtime::inline audio
