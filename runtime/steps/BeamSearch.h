// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search.

#pragma once

#include "runtime/steps/GenerationOptions.h"
#include "runtime/steps/Steps.h"

namespace transfold::runtime::inline steps {

/// A sequence found by the search.
struct Continuation {
  std::vector<int32_t> tokens; // the new tokens, the end token included
  double score;                // Σ log p / tokens^lengthPenalty, finite
  bool isCut = false;          // the last token was forced (Sampler::Choice)
};

/// The `beams` best continuations of `prompt`, the best first; fewer if there
/// are not as many. All of them end when the sequences are full, as in a greedy
/// search. `sequence` has begun and holds no tokens yet; it is consumed. `ends`
/// and `sampling` of the options are complete (Generator::withModel); of
/// sampling only what changes log probabilities is used (LogitsProcessors.h),
/// nothing is drawn. Throws Error if no token can follow, and Cancelled.
std::vector<Continuation> beamSearch(Steps &steps, size_t sequence,
                                     std::span<const int32_t> prompt,
                                     const GenerationOptions &options);

} // namespace transfold::runtime::inline steps
