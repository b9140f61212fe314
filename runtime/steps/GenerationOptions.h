// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a request for generated tokens states, however it is made: on the
// command line, over HTTP, from C or Python. SamplingOptions.h lists the
// numbers of sampling.

#pragma once

#include "runtime/steps/Cancellation.h"
#include "runtime/steps/sampling/Sampling.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace transfold::runtime::inline steps {

/// Options of generation. Lists that are empty stand for those of the model
/// (Generator::withModel).
struct GenerationOptions {
  int64_t most = 128; // maximum number of new tokens
  int64_t chunk = 0;  // tokens of a prompt per step; 0: Steps::usualChunk
  SamplingOptions sampling = {};
  std::vector<int32_t> start = {}, ends = {};
  /// Forced as first token.
  std::vector<int32_t> first = {};
  /// Whether end tokens are ordinary tokens, and none is forced.
  bool ignoreEnd = false;
  /// Beam search: the number of continuations that are followed at the same
  /// time; 1: no beam search.
  int64_t beams = 1;
  /// Beam search: scores are divided by the number of tokens to this power.
  double lengthPenalty = 1;
  /// Beam search: end as soon as `beams` continuations have ended.
  bool earlyStopping = false;
  std::optional<TimeRules> times = {}; // for transcriptions with timestamps
  IsCancelled isCancelled = {};
};

} // namespace transfold::runtime::inline steps
