// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects tokens by scores in double precision. A vocabulary has up to hundreds
// of thousands of tokens: those that cannot be drawn are removed before the
// others are sorted.

#include "runtime/steps/sampling/Sampling.h"

#include "base/Error.h"
#include "runtime/program/call/Finite.h"
#include "runtime/steps/sampling/LogitsProcessors.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transfold::runtime::inline steps {

/// Beginning of an error message: the position of the logits.
struct PlaceOfLogits {
  size_t tokens;
  std::string operator()() const {
    return fmt::format("after {} tokens", tokens);
  }
};

void checkLogits(std::span<const float> logits, size_t position) {
  PlaceOfLogits where{position};
  checkFinite(logits, where);
  if (*std::ranges::max_element(logits) == -INFINITY)
    fail("{} no token has any probability", where());
}

/// log Σ exp(x)
static double logSumExp(std::span<const float> logits) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (float logit : logits)
    sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

double logProbability(std::span<const float> logits, size_t token) {
  return logits[token] - logSumExp(logits);
}

void logSoftmax(std::span<const float> logits, std::vector<double> &result) {
  double shift = logSumExp(logits);
  result.resize(logits.size());
  std::ranges::transform(logits, result.begin(),
                         [=](float logit) { return logit - shift; });
}

/// Returns the options if all are in their ranges. Throws Error.
static SamplingOptions checked(SamplingOptions options) {
  forEachSamplingField([&](const auto &field, size_t) {
    if (!field.range.has(options.*field.member))
      fail("{} is {}; it can be {} to {}", field.name, options.*field.member,
           field.range.least, field.range.most);
  });
  return options;
}

Sampler::Sampler(SamplingOptions given)
    : options(checked(std::move(given))), random(options.seed) {}

bool Sampler::isGreedy() const {
  bool isGreedy = options.temperature <= 0 && options.suppressed.empty() &&
                  options.biases.empty() && !options.constraint &&
                  options.rules.isEmpty() && !options.isScored;
  // Limits have no effect at temperature 0; any other number has one, unless it
  // is that of the default.
  const SamplingOptions defaults;
  forEachSamplingField([&](const auto &field, size_t) {
    isGreedy &= field.isLimit || field.isTemperature() ||
                options.*field.member == defaults.*field.member;
  });
  return isGreedy;
}

Sampler::Choice Sampler::choose(std::span<const float> logits,
                                std::span<const int32_t> history, size_t prompt,
                                int64_t most) {
  checkFinite(logits, PlaceOfLogits{history.size()});
  scores.assign(logits.begin(), logits.end());
  const bool isCut = processScores<float>(
      scores, {options, logits, history, prompt, most, &progress});
  auto argmax = std::ranges::max_element(scores);
  if (*argmax == -INFINITY) {
    checkLogits(logits, history.size());
    fail("every token is suppressed, or has no probability");
  }
  auto token = static_cast<int32_t>(argmax - scores.begin());
  if (options.temperature > 0) {
    gather(*argmax);
    weigh(*argmax);
    token = draw();
  }
  return {token,
          options.isScored ? logProbability(logits, static_cast<size_t>(token))
                           : 0,
          isCut};
}

/// Collects the tokens that may be drawn: the top k, in a heap whose front is
/// the least likely. A draw has 53 bits, so tokens that together have less than
/// 2^-53 of the weight of the most likely one are dropped.
void Sampler::gather(double largest) {
  const auto most = static_cast<size_t>(options.topK);
  const auto count = static_cast<double>(scores.size());
  double least = largest - options.temperature *
                               (53 * std::numbers::ln2 + std::log(count));
  // If scores are large and the temperature is small, the difference rounds to
  // zero: the most likely token must nevertheless lie above the limit.
  least = std::min(least, std::nextafter(largest, -INFINITY));
  candidates.clear();
  candidates.reserve(most ? std::min(most, scores.size()) + 1 : scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    // Of equally likely tokens the first one is kept.
    if (!(scores[i] > least))
      continue;
    candidates.push_back({static_cast<int32_t>(i), scores[i]});
    if (candidates.size() < most || !most)
      continue;
    if (candidates.size() == most) {
      std::ranges::make_heap(candidates, isLikelier);
    } else {
      std::ranges::push_heap(candidates, isLikelier);
      std::ranges::pop_heap(candidates, isLikelier);
      candidates.pop_back();
    }
    least = candidates.front().weight;
  }
  if (most)
    std::ranges::sort(candidates,
                      isLikelier); // the same order on every machine
}

/// Computes weights from scores, with exp in float32 because there may be
/// hundreds of thousands. Then applies top-p and min-p, each to the tokens left
/// by the one before.
void Sampler::weigh(double largest) {
  for (Candidate &candidate : candidates)
    candidate.weight = std::exp(
        static_cast<float>((candidate.weight - largest) / options.temperature));
  if (options.topP < 1)
    keepTopP();
  // The most likely token has the weight 1, so neither cut removes it.
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.weight < options.minP;
  });
}

/// Top-p; sorts only the tokens that are kept.
void Sampler::keepTopP() {
  double all = 0, sum = 0;
  for (const Candidate &candidate : candidates)
    all += candidate.weight;
  // Tokens with less than the mean of the weight to be cut are certainly cut.
  const double least =
      (1 - options.topP) * all / static_cast<double>(candidates.size());
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.weight < least;
  });
  // Of the remaining tokens the most likely one is at the top of the heap;
  // pop_heap moves it to the end of the range.
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
  // Rounding may leave a rest; it belongs to the last token.
  return candidates.back().token;
}

} // namespace transfold::runtime::inline steps
