// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which token comes next, given the logits of all.

#ifndef TRANSFOLD_RUNTIME_STEPS_SAMPLING_H
#define TRANSFOLD_RUNTIME_STEPS_SAMPLING_H

#include "runtime/program/TokenRules.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace transfold::runtime {

struct SamplingOptions {
  double temperature = 0; // 0: the likeliest token, always
  int64_t topK = 0;       // only the K likeliest; 0: all
  double topP = 1;        // only the likeliest that make up P together
  double minP = 0;        // only those at least P times as likely as the first
  double repetitionPenalty = 1; // logits of tokens that were there, Keskar 2019
  uint64_t seed = 0;
  bool isScored = false; // log probabilities are asked for, one exp a token
  std::vector<int32_t> suppressed = {}; // never
  TokenRules rules = {};                // of the model's makers
};

/// Throws Error where logits give no order of what is likely (Finite.h), or all
/// are -∞. `position` tokens came before.
void checkLogits(std::span<const float> logits, size_t position);
/// log(exp(x) / Σ exp(x)) of each logit, or of one; they have been checked.
void logSoftmax(std::span<const float> logits, std::vector<double> &result);
double logProbability(std::span<const float> logits, size_t token);

/// Makes the tokens of `history` less likely, once each, however often they
/// were there: scores[t] becomes before[t] divided by the penalty where that is
/// above 0, else multiplied by it (Keskar et al. 2019).
template <typename Score>
void penaliseRepetition(std::span<const int32_t> history, double penalty,
                        std::span<const Score> before,
                        std::span<double> scores) {
  if (penalty == 1)
    return;
  for (int32_t token : history) {
    auto place = static_cast<size_t>(token);
    if (place >= scores.size()) // known to the prompt, but never made
      continue;
    double score = before[place];
    scores[place] = score > 0 ? score / penalty : score * penalty;
  }
}
/// Gives tokens the score -∞; all have one.
void suppress(std::span<const int32_t> tokens, std::span<double> scores);

class Sampler {
public:
  /// Throws Error where a number lies outside of its range (SamplingRanges.h).
  explicit Sampler(SamplingOptions options);

  /// Whether choose() takes the token with the largest logit, of equal ones the
  /// first, whatever came before, and says nothing else.
  bool isGreedy() const;

  struct Choice {
    int32_t token;
    double logProbability; // by the model, before temperature and cuts; 0
                           // where nobody asked for it
    /// The model's rules ended the text here, where it would have gone on.
    bool isCut = false;
  };
  /// The next token after those of `history`, the first `prompt` of which were
  /// given, and of `most` new ones at most. Equal seeds and logits choose
  /// equally on every machine. Throws Error where all tokens are suppressed,
  /// and for logits that are no numbers.
  Choice choose(std::span<const float> logits, std::span<const int32_t> history,
                size_t prompt = 0, int64_t most = INT64_MAX);

private:
  struct Candidate {
    int32_t token;
    double weight; // beside the likeliest's; before weigh() the score
  };
  static bool isLikelier(const Candidate &a, const Candidate &b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  }

  SamplingOptions options;
  std::mt19937_64 random; // its numbers are part of the C++ standard
  std::vector<double> scores;
  std::vector<Candidate> candidates;

  void gather(double largest);
  void weigh(double largest);
  void keepTopP();
  int32_t draw();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_SAMPLING_H
