// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One completion, from its request to its last token. Its tokens depend only on
// the request: they are drawn with its own seed, whatever else runs in the
// batch.

#pragma once

#include "runtime/serve/engine/TokenScores.h"
#include "runtime/steps/sampling/Sampling.h"
#include "runtime/tasks/text/TextStream.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// A completion to be computed.
struct CompletionJob {
  std::vector<int32_t> prompt;
  size_t cut = 0;   // tokens that were left out of the prompt
  int64_t most = 1; // maximum number of new tokens; there is room for them
  SamplingOptions sampling;
  std::vector<int32_t> ends; // end tokens
  bool isThinking = false;   // the prompt begins a thought
  /// Special tokens that are part of the text, such as those around calls.
  std::vector<int32_t> shown;
  std::vector<std::string> stops;
  bool isScored = false;
  size_t topScores = 0;
  Clock::time_point deadline = Clock::time_point::max();
  std::shared_ptr<AnswerStream> stream = std::make_shared<AnswerStream>();
};

/// A completion that has a slot; for use by one thread at a time.
class RunningSequence {
public:
  /// `reused` tokens of the prompt are already in the slot's sequence.
  RunningSequence(CompletionJob job, const Tokenizer &tokenizer, size_t slot,
                  size_t reused);
  RunningSequence(const RunningSequence &) =
      delete; // `text` has a pointer to it
  RunningSequence &operator=(const RunningSequence &) = delete;

  const CompletionJob &job() const { return described; }
  size_t slot() const { return place; }
  Usage usage() const;
  /// The prompt, followed by the generated tokens.
  std::span<const int32_t> tokens() const { return all; }

  /// Whether the next token is always the argmax, so that no logits are needed.
  bool isGreedy() const { return sampler.isGreedy(); }
  /// Chooses the next token by the logits at the last token. Returns false if
  /// it was the last one; then the stream has been ended. Throws Error.
  bool take(std::span<const float> logits);
  /// Like take(), with the argmax, for a greedy answer.
  bool takeLikeliest(int32_t token) { return append(token, false); }

private:
  CompletionJob described;
  size_t place, reused;
  std::vector<int32_t> all;
  Sampler sampler;
  Piece piece; // new output of the current token
  TextStream text;
  TokenScores scores;

  std::span<const int32_t> made() const;
  std::string textOf(const Tokenizer &tokenizer,
                     std::span<const int32_t> ids) const;
  bool isEnd(int32_t token) const;
  /// Appends the next token; returns as take() does. `isCut`: it was forced.
  bool append(int32_t token, bool isCut);
  void finish(AnswerEnd::Reason reason);
};

} // namespace transfold::runtime::serve
