// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions that share steps (continuous batching): each step has one token
// of every running answer, and some tokens of prompts that are being read.
// Answers join and leave between steps. For use by one thread.

#pragma once

#include "runtime/serve/engine/PrefixSlots.h"
#include "runtime/serve/engine/RunningSequence.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// The completions that run now.
class RunningBatch {
public:
  /// At most `parallel` completions at once, in sequences of `steps`.
  RunningBatch(Steps &steps, const Tokenizer &tokenizer, size_t parallel)
      : steps(steps), tokenizer(tokenizer), slots(steps, parallel) {}

  bool hasRoom() const { return slots.hasFree(); }
  bool isEmpty() const { return answers.empty(); }
  size_t size() const { return answers.size(); }
  /// Numbers of tokens of all completions, finished ones included.
  const Usage &totals() const { return sums; }

  /// Adds a completion; hasRoom() must be true.
  void admit(CompletionJob job);
  /// Removes completions whose clients no longer wait, and runs a step of the
  /// others. Returns false if nothing ran because all answers wait for slow
  /// readers.
  bool step();
  /// Ends all completions with an error.
  void failAll(const ApiError &error);

private:
  using Answer = std::unique_ptr<RunningSequence>;

  Steps &steps;
  const Tokenizer &tokenizer;
  PrefixSlots slots;
  std::vector<Answer> answers;
  Usage sums;
  // Temporaries of a step.
  std::vector<RunningSequence *> going;
  std::vector<Steps::Chunk> chunks;
  /// The result of one answer's token.
  struct Taken {
    size_t chunk;
    bool isOver = false;
    std::optional<std::string> problem = {}; // why it failed
  };
  std::vector<Taken> taken;

  /// The tokens of a completion that were not run yet.
  std::span<const int32_t> pending(const RunningSequence &answer) const;
  /// Removes completions whose clients have gone or whose deadline has passed.
  void dropUnwanted();
  /// Collects the chunks of the next step, those of prompts last.
  void gather();
  void gatherPrompts();
  void takeTokens();
  void take(Taken &own);
  /// Ends a completion if its token was the last one, or failed.
  void settle(const Taken &own);
  /// Ends the stream of a completion with an error; the completion stays in the
  /// batch.
  void fail(RunningSequence &answer, const ApiError &error);
  void remove(const RunningSequence &answer);
};

} // namespace transfold::runtime::serve
