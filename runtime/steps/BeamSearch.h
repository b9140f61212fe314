// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The likeliest continuations, several at a time.

#ifndef TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H
#define TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H

#include "runtime/program/TokenRules.h"
#include "runtime/steps/Cancellation.h"
#include "runtime/steps/Steps.h"

#include <functional>

namespace transfold::runtime {

struct BeamOptions {
  size_t beams = 4;
  int64_t most = 32;            // new tokens
  double lengthPenalty = 1;     // scores are divided by tokens to this power
  bool earlyStopping = false;   // as soon as there are `beams` ends
  std::vector<int32_t> ends;    // tokens that end a continuation
  double repetitionPenalty = 1; // of log probabilities (Sampling.h)
  std::vector<int32_t> suppressed;
  TokenRules rules = {};
  int64_t chunk = 0; // tokens of the prompt in one step; 0: the usual number
  IsCancelled isCancelled = {};
};

struct Continuation {
  std::vector<int32_t> tokens; // new ones, the end included
  double score;                // Σ log p / tokens^lengthPenalty, finite
  bool isCut = false;          // its last token was forced (Sampler::Choice)
};

/// The `beams` best continuations of `prompt`, the best first; fewer where
/// fewer are possible. All end where the sequences are full, as a greedy search
/// does. `sequence` has begun and holds no tokens yet; it is used up. Throws
/// Error where nothing can follow, and Cancelled.
std::vector<Continuation> beamSearch(Steps &steps, size_t sequence,
                                     std::span<const int32_t> prompt,
                                     const BeamOptions &options);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_BEAMSEARCH_H
