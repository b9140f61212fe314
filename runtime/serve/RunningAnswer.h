// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One completion, from its request to its last token. What comes next is its
// own affair: its numbers are drawn from its own seed, whoever runs beside it.

#ifndef TRANSFOLD_RUNTIME_SERVE_RUNNINGANSWER_H
#define TRANSFOLD_RUNTIME_SERVE_RUNNINGANSWER_H

#include "runtime/serve/TokenScores.h"
#include "runtime/steps/Sampling.h"
#include "runtime/tasks/TextStream.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// A completion that somebody waits for.
struct CompletionJob {
  std::vector<int32_t> prompt;
  int64_t most = 1; // new tokens, for which there is room
  SamplingOptions sampling;
  std::vector<int32_t> ends; // tokens
  std::vector<std::string> stops;
  bool isScored = false;
  size_t topScores = 0;
  Clock::time_point deadline = Clock::time_point::max();
  std::shared_ptr<AnswerStream> stream = std::make_shared<AnswerStream>();
};

class RunningAnswer {
public:
  /// `reused` tokens of the prompt were there before.
  RunningAnswer(CompletionJob job, const Tokenizer &tokenizer, size_t slot,
                size_t reused);
  RunningAnswer(const RunningAnswer &) = delete; // the text knows its place
  RunningAnswer &operator=(const RunningAnswer &) = delete;

  const CompletionJob &job() const { return described; }
  size_t slot() const { return place; }
  Usage usage() const;
  /// The prompt, and what was made behind it.
  std::span<const int32_t> tokens() const { return all; }

  /// Whether its next token is the likeliest, and no logits are looked at.
  bool isGreedy() const { return sampler.isGreedy(); }
  /// Chooses the next token by the logits behind the last one. Returns false
  /// where that was the last, and the stream has its end. Throws Error.
  bool take(std::span<const float> logits);
  /// The same with the likeliest token, where the answer is greedy.
  bool takeLikeliest(int32_t token) { return append(token, false); }

private:
  CompletionJob described;
  size_t place, reused;
  std::vector<int32_t> all;
  Sampler sampler;
  Piece piece; // of this token
  TextStream text;
  TokenScores scores;

  std::span<const int32_t> made() const;
  bool isEnd(int32_t token) const;
  /// Takes the next token; returns as take() does. `isCut`: it was forced.
  bool append(int32_t token, bool isCut);
  void finish(AnswerEnd::Reason reason);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_RUNNINGANSWER_H
