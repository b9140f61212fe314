// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sample rate conversion by a low-pass filter evaluated at the new samples: a
// sinc with a Kaiser window (Kaiser and Schafer 1980; Smith, Digital Audio
// Resampling). Sample n lies at position n · from / to of the old samples and
// is a weighted sum of the old samples around it, so that any part of a
// recording can be computed separately.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace transfold::runtime::inline audio {

/// Converts from one sample rate to another.
class Resampler {
public:
  /// Reads old samples from index `first` on, with zeros where there are none.
  using Read = std::function<void(int64_t first, std::span<float> to)>;

  /// Rates in samples per second, at least 1.
  Resampler(int64_t from, int64_t to);

  /// Number of new samples for `old` old ones: all that lie before the end of
  /// the last old one.
  int64_t samples(int64_t old) const;
  /// Computes new samples from `first` ≥ 0 on, from the old samples that `read`
  /// returns.
  void make(int64_t first, std::span<float> to, const Read &read) const;

private:
  /// The ratio in lowest terms: `old` old samples correspond to `made` new
  /// ones.
  int64_t old, made;
  double cutoff;     // of the filter; 1 is half the old rate
  int64_t halfWidth; // number of old samples on either side of a new one
  /// Weights of a new sample, 2 · halfWidth each, for each phase n · old mod
  /// made, its position between two old samples. Empty if there are too many;
  /// then weights are computed when needed.
  std::vector<float> phases;

  /// Computes the 2 · halfWidth weights of the phase, 0 ≤ phase < made.
  void weigh(int64_t phase, std::span<float> weights) const;
};

} // namespace transfold::runtime::inline audio
