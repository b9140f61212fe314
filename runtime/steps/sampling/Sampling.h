// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the next token from the logits.

#pragma once

#include "runtime/steps/sampling/ConstraintProgress.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace transfold::runtime::inline steps {

/// Throws Error if the logits contain NaN or +∞ (Finite.h) or are all -∞.
/// `position` is the number of tokens before them, for the message.
void checkLogits(std::span<const float> logits, size_t position);
/// log(exp(x) / Σ exp(x)) of each logit; the logits must have been checked.
void logSoftmax(std::span<const float> logits, std::vector<double> &result);
/// log(exp(x) / Σ exp(x)) of one token's logit; the logits must have been
/// checked.
double logProbability(std::span<const float> logits, size_t token);

/// Selects tokens for one sequence; has a random generator of its own.
class Sampler {
public:
  /// Throws Error if an option is out of its range.
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
  /// equal tokens wherever the C library computes exp alike, as glibc does
  /// since 2.28. Throws Error if all tokens are suppressed, or if logits are
  /// NaN or +∞.
  Choice choose(std::span<const float> logits, std::span<const int32_t> history,
                size_t prompt = 0, int64_t most = INT64_MAX);

private:
  struct Candidate {
    int32_t token;
    /// Relative to the most likely token; before weigh(), the score.
    double weight;
  };
  /// A total order: equal weights are ordered by token, so that results do not
  /// depend on the algorithms of a library.
  static bool isLikelier(const Candidate &a, const Candidate &b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  }

  SamplingOptions options;
  ConstraintProgress progress;
  std::mt19937_64 random; // specified exactly by the C++ standard
  /// Temporaries of choose(), kept so that it allocates nothing: the scores of
  /// all tokens, and the candidates of a draw.
  std::vector<double> scores;
  std::vector<Candidate> candidates;

  /// Steps of a draw, in this order; `largest` is the largest score. The first
  /// collects candidates, the second gives them weights and applies the cuts.
  void gather(double largest);
  void weigh(double largest);
  /// Removes the candidates that top-p cuts.
  void keepTopP();
  /// Draws one of the candidates, with a probability proportional to its
  /// weight.
  int32_t draw();
};

} // namespace transfold::runtime::inline steps
