// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Sampling.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime {

void logSoftmax(std::span<const float> logits, std::vector<double> &result) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (float logit : logits)
    sum += std::exp(logit - largest);
  double shift = largest + std::log(sum);
  result.resize(logits.size());
  std::ranges::transform(logits, result.begin(),
                         [=](float logit) { return logit - shift; });
}

Sampler::Choice Sampler::choose(std::span<const float> logits,
                                std::span<const int32_t> history) {
  logSoftmax(logits, logProbabilities);
  scores.assign(logits.begin(), logits.end());
  if (options.repetitionPenalty != 1)
    for (int32_t token : history) {
      // Once for each token, however often it was there.
      auto place = static_cast<size_t>(token);
      double logit = logits[place];
      scores[place] = logit > 0 ? logit / options.repetitionPenalty
                                : logit * options.repetitionPenalty;
    }
  for (int32_t token : options.suppressed)
    if (static_cast<size_t>(token) < scores.size())
      scores[static_cast<size_t>(token)] = -INFINITY;
  auto likeliest = std::ranges::max_element(scores);
  if (*likeliest == -INFINITY)
    fail("every token is suppressed, or has no probability");
  auto token = static_cast<int32_t>(likeliest - scores.begin());
  if (options.temperature > 0) {
    double largest = *likeliest;
    candidates.clear();
    for (size_t i = 0; i < scores.size(); ++i)
      candidates.push_back(
          {static_cast<int32_t>(i),
           std::exp((scores[i] - largest) / options.temperature)});
    keepLikely();
    token = draw();
  }
  return {token, logProbabilities[static_cast<size_t>(token)]};
}

/// What each cut leaves is what the next one sees: top-k, top-p, min-p.
void Sampler::keepLikely() {
  auto likelier = [](const Candidate &a, const Candidate &b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  };
  auto topK = static_cast<size_t>(options.topK);
  if (topK && topK < candidates.size()) {
    std::ranges::nth_element(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(topK),
        likelier);
    candidates.resize(topK);
  }
  std::ranges::sort(candidates, likelier);
  if (options.topP < 1) {
    double all = 0, sum = 0;
    for (const Candidate &candidate : candidates)
      all += candidate.weight;
    size_t kept = 0;
    while (kept < candidates.size() && sum < options.topP * all)
      sum += candidates[kept++].weight;
    candidates.resize(std::max<size_t>(kept, 1));
  }
  double least = options.minP * candidates.front().weight;
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.weight < least;
  });
}

int32_t Sampler::draw() {
  double all = 0;
  for (const Candidate &candidate : candidates)
    all += candidate.weight;
  // Not std::uniform_real_distribution, which differs between libraries.
  double rest = static_cast<double>(random() >> 11) * 0x1p-53 * all;
  for (const Candidate &candidate : candidates) {
    rest -= candidate.weight;
    if (rest < 0)
      return candidate.token;
  }
  return candidates.back().token;
}

} // namespace transfold::runtime
