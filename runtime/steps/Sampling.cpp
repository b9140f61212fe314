// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/Sampling.h"

#include "runtime/Error.h"
#include "runtime/program/Finite.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime {

void checkLogits(std::span<const float> logits, size_t position) {
  auto where = [&] { return fmt::format("behind {} tokens", position); };
  checkFinite(logits, where);
  if (*std::ranges::max_element(logits) == -INFINITY)
    fail("{} no token has any probability", where());
}

void logSoftmax(std::span<const float> logits, std::vector<double> &result) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (float logit : logits)
    sum += std::exp(logit - largest);
  double shift = largest + std::log(sum);
  result.resize(logits.size());
  std::ranges::transform(logits, result.begin(),
                         [=](float logit) { return logit - shift; });
}

void suppress(std::span<const int32_t> tokens, std::span<double> scores) {
  for (int32_t token : tokens)
    scores[static_cast<size_t>(token)] = -INFINITY;
}

Sampler::Choice Sampler::choose(std::span<const float> logits,
                                std::span<const int32_t> history, size_t prompt,
                                int64_t most) {
  checkLogits(logits, history.size());
  logSoftmax(logits, logProbabilities);
  scores.assign(logits.begin(), logits.end());
  penaliseRepetition(history, options.repetitionPenalty, logits,
                     std::span(scores));
  suppress(options.suppressed, scores);
  options.rules.apply(scores, {history, prompt, most});
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

/// What each cut leaves is what the next one sees: top-k, top-p, min-p. None
/// of them sorts more than it keeps.
void Sampler::keepLikely() {
  auto topK = static_cast<size_t>(options.topK);
  if (topK && topK < candidates.size()) {
    std::ranges::nth_element(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(topK),
        isLikelier);
    candidates.resize(topK);
    std::ranges::sort(candidates, isLikelier); // one order everywhere
  }
  if (options.topP < 1)
    keepTopP();
  // The likeliest of all has the weight 1, and no cut takes it.
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.weight < options.minP;
  });
}

void Sampler::keepTopP() {
  double all = 0, sum = 0;
  for (const Candidate &candidate : candidates)
    all += candidate.weight;
  // The likeliest of those that are left is on top of the heap, and moves
  // behind it.
  auto isLess = [](const Candidate &a, const Candidate &b) {
    return isLikelier(b, a);
  };
  std::ranges::make_heap(candidates, isLess);
  auto rest = candidates.end();
  do {
    std::ranges::pop_heap(candidates.begin(), rest, isLess);
    sum += (--rest)->weight;
  } while (rest != candidates.begin() && sum < options.topP * all);
  candidates.erase(candidates.begin(), rest);
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
