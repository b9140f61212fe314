// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules in the order of the original implementation, since the last one
// depends on what the earlier ones have forbidden.

#include "runtime/program/metadata/TimeRules.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline program {

namespace {

/// Excludes tokens: exp(-∞) is 0.
void forbid(std::span<double> scores) { std::ranges::fill(scores, -INFINITY); }

/// log Σ exp(x)
double logSumExp(std::span<const double> scores) {
  double largest = *std::ranges::max_element(scores), sum = 0;
  if (largest == -INFINITY)
    return largest;
  for (double score : scores)
    sum += std::exp(score - largest);
  return largest + std::log(sum);
}

} // namespace

void TimeRules::apply(std::span<double> scores,
                      std::span<const int32_t> made) const {
  if (first <= 0 || static_cast<size_t>(first) >= scores.size())
    return;
  std::span<double> texts = scores.first(static_cast<size_t>(first));
  std::span<double> times = scores.subspan(static_cast<size_t>(first));
  auto isTime = [&](size_t before) { // 1: the last of `made`
    return before <= made.size() && made[made.size() - before] >= first;
  };
  // A single time at the very beginning counts as the second of a pair.
  const bool isBehindTime = isTime(1);
  const bool isBehindPair = isBehindTime && (made.size() < 2 || isTime(2));
  const bool isBehindEnd = isBehindTime && !isBehindPair; // of a segment
  if (isBehindPair)
    forbid(times);
  if (isBehindEnd) {
    // Either the next segment begins, or the text ends.
    std::vector<double> kept;
    for (int32_t end : ends)
      kept.push_back(scores[static_cast<size_t>(end)]);
    forbid(texts);
    for (size_t i = 0; i < ends.size(); ++i)
      scores[static_cast<size_t>(ends[i])] = kept[i];
  }
  // Times do not decrease, and each segment has a positive duration.
  for (size_t i = made.size(); i-- > 0;)
    if (made[i] >= first) {
      auto least = static_cast<size_t>(made[i] - first) + !isBehindEnd;
      forbid(times.first(std::min(least, times.size())));
      break;
    }
  if (made.empty()) {
    forbid(texts);
    if (latestBegin && *latestBegin < static_cast<int64_t>(times.size()))
      forbid(times.subspan(static_cast<size_t>(*latestBegin) + 1));
  }
  // If all times together are more likely than any text token, a time is
  // forced.
  if (logSumExp(times) > *std::ranges::max_element(texts))
    forbid(texts);
}

} // namespace transfold::runtime::inline program
