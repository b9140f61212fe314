// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changes the scores of tokens before one is chosen, in order. Sampling
// and beam search use the same chain, so that a new processor is added here,
// and its number to SamplingOptions.h.

#pragma once

#include "runtime/steps/sampling/ConstraintProgress.h"
#include "runtime/steps/sampling/Sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transfold::runtime::inline steps {

/// What processors may look at. Scores are logits, or log probabilities.
template <typename Score> struct ScoredPlace {
  const SamplingOptions &options;
  /// The scores by the model.
  std::span<const Score> original;
  /// Tokens so far; the first `prompt` were given, and at most `most` new ones
  /// are generated.
  std::span<const int32_t> history;
  size_t prompt;
  int64_t most;
  /// Of the sequence; null for beam search.
  ConstraintProgress *progress = nullptr;
};

/// Repetition penalty (Keskar et al. 2019): makes the tokens of the history
/// less likely, independently of how often they occur. A score is divided by
/// the penalty if it is above 0, else multiplied by it.
template <typename Score>
void penaliseRepetition(std::span<double> scores,
                        const ScoredPlace<Score> &place) {
  const double penalty = place.options.repetitionPenalty;
  if (penalty == 1)
    return;
  for (int32_t token : place.history) {
    auto index = static_cast<size_t>(token);
    // May occur in the prompt, but has no logit.
    if (index >= scores.size())
      continue;
    const double score = place.original[index];
    scores[index] = score > 0 ? score / penalty : score * penalty;
  }
}

/// Presence and frequency penalty, as OpenAI defines them: subtracted from the
/// scores of tokens that were generated before, once, and for each time. Tokens
/// of the prompt do not count.
template <typename Score>
void penalisePresence(std::span<double> scores,
                      const ScoredPlace<Score> &place) {
  const SamplingOptions &options = place.options;
  if (options.presencePenalty == 0 && options.frequencyPenalty == 0)
    return;
  const auto made =
      place.history.subspan(std::min(place.prompt, place.history.size()));
  std::vector<int32_t> tokens(made.begin(), made.end());
  std::ranges::sort(tokens);
  for (auto first = tokens.begin(); first != tokens.end();) {
    const auto last = std::upper_bound(first, tokens.end(), *first);
    if (const auto index = static_cast<size_t>(*first); index < scores.size())
      // A product and not a sum of many terms, which would round each time.
      scores[index] -=
          options.presencePenalty +
          options.frequencyPenalty * static_cast<double>(last - first);
    first = last;
  }
}

/// Adds the biases of tokens, which must be valid indices.
template <typename Score>
void addBiases(std::span<double> scores, const ScoredPlace<Score> &place) {
  for (auto [token, bias] : place.options.biases)
    scores[static_cast<size_t>(token)] += bias;
}

/// Removes the tokens that the options suppress, which must be valid indices.
template <typename Score>
void suppressTokens(std::span<double> scores, const ScoredPlace<Score> &place) {
  for (int32_t token : place.options.suppressed)
    scores[static_cast<size_t>(token)] = -INFINITY;
}

/// Removes the tokens that cannot follow in the constraint of the text.
template <typename Score>
void keepToConstraint(std::span<double> scores,
                      const ScoredPlace<Score> &place) {
  if (place.options.constraint && place.progress)
    place.progress->apply(
        *place.options.constraint,
        place.history.subspan(std::min(place.prompt, place.history.size())),
        scores);
}

/// Runs the chain on `scores`, which begin as a copy of the original ones.
/// Returns whether the model's rules force the end here, where another token is
/// more likely.
template <typename Score>
bool processScores(std::span<double> scores, const ScoredPlace<Score> &place) {
  penaliseRepetition(scores, place);
  penalisePresence(scores, place);
  addBiases(scores, place);
  suppressTokens(scores, place);
  keepToConstraint(scores, place);
  // The rules of the model are last: they decide what follows.
  const TokenRules::Place here{place.history, place.prompt, place.most};
  const bool isCut = place.options.rules.cuts(scores, here);
  place.options.rules.apply(scores, here);
  return isCut;
}

} // namespace transfold::runtime::inline steps
