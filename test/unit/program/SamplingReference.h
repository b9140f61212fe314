// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distribution of a sampler by the definitions of its cuts, in double: for
// the unit test and for the fuzz target.

#pragma once

#include "runtime/steps/sampling/LogitsProcessors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace transfold::test {

/// The probability of each token, 0 if it is cut off. The sampler computes
/// weights in float32, so that rounding decides on which side of a cut some
/// tokens are, and which of two equally likely ones comes first: a `margin`
/// above 0 keeps more of them here, one below 0 fewer.
inline std::vector<double> drawnOf(const runtime::SamplingOptions &options,
                                   std::span<const float> logits,
                                   std::span<const int32_t> history,
                                   double margin) {
  std::vector<double> scores(logits.begin(), logits.end());
  const runtime::ScoredPlace<float> place{options, logits, history, 0, 1};
  runtime::processScores<float>(scores, place);
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t token) {
    return std::pair(-scores[token], token);
  });
  const double largest = scores[order[0]];
  std::vector<double> weights(scores.size(), 0);
  if (!(options.temperature > 0)) {
    weights[order[0]] = 1;
    return weights;
  }
  if (options.topK)
    order.resize(std::min(order.size(), static_cast<size_t>(options.topK)));
  double all = 0;
  for (size_t token : order) {
    // Not (a - b) / T: a and b may be so large that a - b overflows.
    double distance = largest / 2 - scores[token] / 2;
    weights[token] = std::exp(-2 * (distance / options.temperature));
    all += weights[token];
  }
  auto isKept = [&](size_t token) {
    double likelier = 0; // those that come before it in any rounding
    for (size_t other : order)
      if (other != token && weights[other] > weights[token] * (1 + margin))
        likelier += weights[other];
    return (options.topP >= 1 || likelier < (options.topP + margin) * all) &&
           weights[token] >= options.minP * (1 - margin);
  };
  std::vector<double> result(scores.size(), 0);
  double sum = 0;
  for (size_t token : order)
    if (weights[token] > 0 && (isKept(token) || token == order[0]))
      sum += result[token] = weights[token];
  for (double &weight : result)
    weight /= sum;
  return result;
}

/// Whether any token has a probability: otherwise no choice is possible.
inline bool canChoose(const runtime::SamplingOptions &options,
                      std::span<const float> logits) {
  std::vector<double> scores(logits.begin(), logits.end());
  for (double score : scores)
    if (!(score < INFINITY))
      return false;
  runtime::suppressTokens<float>(scores, {options, logits, {}, 0, 1});
  return std::ranges::any_of(scores,
                             [](double score) { return score > -INFINITY; });
}

} // namespace transfold::test
