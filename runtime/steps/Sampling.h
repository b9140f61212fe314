// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the next token from the logits.

#ifndef TRANSFOLD_RUNTIME_STEPS_SAMPLING_H
#define TRANSFOLD_RUNTIME_STEPS_SAMPLING_H

#include "runtime/program/metadata/TokenRules.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace transfold::runtime {

/// Options of the selection of tokens.
struct SamplingOptions {
  double temperature = 0; // 0: greedy, always the most likely token
  int64_t topK = 0;       // only the K most likely; 0: all
  double topP = 1;        // only the most likely with a total probability of P
  /// Only tokens with at least P times the probability of the most likely one.
  double minP = 0;
  /// Applied to the logits of tokens that occurred before, Keskar 2019.
  double repetitionPenalty = 1;
  uint64_t seed = 0;
  /// Return log probabilities, which costs one exp per vocabulary token.
  bool isScored = false;
  std::vector<int32_t> suppressed = {}; // never generated
  TokenRules rules = {};                // of the model
};

/// Throws Error if the logits contain NaN or +∞ (Finite.h) or are all -∞.
/// `position` is the number of tokens before them, for the message.
void checkLogits(std::span<const float> logits, size_t position);
/// log(exp(x) / Σ exp(x)) of each logit; the logits must have been checked.
void logSoftmax(std::span<const float> logits, std::vector<double> &result);
/// log(exp(x) / Σ exp(x)) of one token's logit; the logits must have been
/// checked.
double logProbability(std::span<const float> logits, size_t token);

/// Repetition penalty (Keskar et al. 2019): makes the tokens of `history` less
/// likely, independently of how often they occur. scores[t] becomes before[t]
/// divided by the penalty if before[t] is above 0, else multiplied by it.
template <typename Score>
void penaliseRepetition(std::span<const int32_t> history, double penalty,
                        std::span<const Score> before,
                        std::span<double> scores) {
  if (penalty == 1)
    return;
  for (int32_t token : history) {
    auto place = static_cast<size_t>(token);
    /// May occur in the prompt, but has no logit.
    if (place >= scores.size())
      continue;
    double score = before[place];
    scores[place] = score > 0 ? score / penalty : score * penalty;
  }
}
/// Sets the scores of `tokens`, which must be valid indices, to -∞.
void suppress(std::span<const int32_t> tokens, std::span<double> scores);

/// Selects tokens for one sequence; has a random generator of its own.
class Sampler {
public:
  /// Throws Error if an option is out of its range (SamplingRanges.h).
  explicit Sampler(SamplingOptions options);

  /// Whether choose() just returns the argmax of the logits, of equal ones the
  /// first, independently of the history and without a log probability.
  bool isGreedy() const;

  struct Choice {
    int32_t token;
    /// By the model, before temperature and cuts; 0 if not requested.
    double logProbability;
    /// The model's rules forced the end here, where another token was more
    /// likely.
    bool isCut = false;
  };
  /// The next token after those of `history`, the first `prompt` of which were
  /// given; at most `most` new ones are generated. Equal seeds and logits give
  /// equal tokens on every machine. Throws Error if all tokens are suppressed,
  /// or if logits are NaN or +∞.
  Choice choose(std::span<const float> logits, std::span<const int32_t> history,
                size_t prompt = 0, int64_t most = INT64_MAX);

private:
  struct Candidate {
    int32_t token;
    /// Relative to the most likely token; before weigh(), the score.
    double weight;
  };
  static bool isLikelier(const Candidate &a, const Candidate &b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  }

  SamplingOptions options;
  std::mt19937_64 random; // specified exactly by the C++ standard
  std::vector<double> scores;
  std::vector<Candidate> candidates;

  void gather(double largest);
  void weigh(double largest);
  void keepTopP();
  int32_t draw();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_SAMPLING_H
