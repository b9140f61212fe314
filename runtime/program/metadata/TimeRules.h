// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timestamps among the tokens of a transcribed text, as Whisper generates them
// (Radford et al. 2022, 2.3): each segment of the text stands between the time
// at which it begins and the time at which it ends.
//
//   0.00  One day a storm came.  3.40  3.40  The wind was strong.  5.10  end
//
// Which tokens may follow is defined as in ApplyTimestampRules of the original
// implementation; models do not follow these rules by themselves.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// The rules of one vocabulary. They do nothing if `first` is not one of its
/// tokens.
struct TimeRules {
  /// The token of time 0. All tokens from it to the last of the vocabulary are
  /// times, at increasing steps.
  int32_t first = 0;
  /// The latest time, in steps, at which the first segment may begin.
  std::optional<int64_t> latestBegin = {};
  /// Tokens that end a text.
  std::vector<int32_t> ends = {};

  /// Sets the scores of tokens that cannot follow `made`, the tokens generated
  /// so far, to -∞. Scores are logits or log probabilities: only their
  /// differences matter.
  void apply(std::span<double> scores, std::span<const int32_t> made) const;
};

} // namespace transfold::runtime::inline program
