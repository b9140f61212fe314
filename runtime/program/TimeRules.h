// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times among the tokens of a text that somebody said, as Whisper has them
// (Radford et al. 2022, 2.3): each piece of the text stands between the time
// that it begins at and the time that it ends at.
//
//   0.00  One day a storm came.  3.40  3.40  The wind was strong.  5.10  end
//
// Which of them may follow is what ApplyTimestampRules of the model's own
// program says; models do not keep to it by themselves.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_TIMERULES_H
#define TRANSFOLD_RUNTIME_PROGRAM_TIMERULES_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime {

struct TimeRules {
  /// The token of the time 0. All from there to the last of the vocabulary are
  /// times, one step after the other.
  int32_t first = 0;
  /// The time, in steps, at which the first piece begins at the latest.
  std::optional<int64_t> latestBegin = {};
  /// Tokens that end a text.
  std::vector<int32_t> ends = {};

  /// Gives tokens that cannot follow `made`, the new ones so far, the score -∞.
  /// Scores are logits, or log probabilities: only their differences count.
  void apply(std::span<double> scores, std::span<const int32_t> made) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_TIMERULES_H
