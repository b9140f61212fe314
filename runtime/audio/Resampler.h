// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording at another rate, by a low-pass filter that is evaluated where the
// new samples are: a sinc in a Kaiser window (Kaiser and Schafer 1980; Smith,
// Digital Audio Resampling). Sample n lies at n · from / to of the old ones and
// is a sum over those around, so that any part of a recording is made by
// itself.

#ifndef TRANSFOLD_RUNTIME_AUDIO_RESAMPLER_H
#define TRANSFOLD_RUNTIME_AUDIO_RESAMPLER_H

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace transfold::runtime {

class Resampler {
public:
  /// Fills with samples from a number on, with zeros where there are none.
  using Read = std::function<void(int64_t first, std::span<float> to)>;

  /// Samples a second, which are at least 1.
  Resampler(int64_t from, int64_t to);

  /// New samples of so many old ones: all that lie before the end of the last.
  int64_t samples(int64_t old) const;
  /// New samples from `first` ≥ 0 on, of what `read` gives.
  void make(int64_t first, std::span<float> to, const Read &read) const;

private:
  /// The ratio in lowest terms: `old` old samples are `made` new ones.
  int64_t old, made;
  double cutoff;     // of the filter; 1 is half the old rate
  int64_t halfWidth; // old samples on either side of a new one
  /// Weights of a new sample by where it lies between two old ones, n · old mod
  /// made: 2 · halfWidth each. Empty where that would be too many: then each is
  /// computed when it is needed.
  std::vector<float> phases;

  void weigh(int64_t phase, std::span<float> weights) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_AUDIO_RESAMPLER_H
