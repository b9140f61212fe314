// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search.

#ifndef TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H
#define TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H

#include "runtime/steps/Cancellation.h"
#include "runtime/steps/Steps.h"
#include "runtime/steps/sampling/Sampling.h"

#include <functional>

namespace transfold::runtime::inline steps {

/// Options of a beam search.
struct BeamOptions {
  /// Number of continuations that are followed at the same time (beam width).
  size_t beams = 4;
  int64_t most = 32; // maximum number of new tokens
  /// Scores are divided by the number of tokens to this power.
  double lengthPenalty = 1;
  bool earlyStopping = false; // end as soon as `beams` continuations have ended
  std::vector<int32_t> ends;  // tokens that end a continuation
  /// What changes log probabilities (LogitsProcessors.h); nothing is drawn.
  SamplingOptions sampling = {};
  /// Tokens of the prompt per step; 0: Steps::usualChunk.
  int64_t chunk = 0;
  IsCancelled isCancelled = {};
};

/// A sequence found by the search.
struct Continuation {
  std::vector<int32_t> tokens; // the new tokens, the end token included
  double score;                // Σ log p / tokens^lengthPenalty, finite
  bool isCut = false;          // the last token was forced (Sampler::Choice)
};

/// The `beams` best continuations of `prompt`, the best first; fewer if there
/// are not as many. All of them end when the sequences are full, as in a greedy
/// search. `sequence` has begun and holds no tokens yet; it is consumed. Throws
/// Error if no token can follow, and Cancelled.
std::vector<Continuation> beamSearch(Steps &steps, size_t sequence,
                                     std::span<const int32_t> prompt,
                                     const BeamOptions &options);

} // namespace transfold::runtime::inline steps

#endif // TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H
