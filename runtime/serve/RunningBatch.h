// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions that share steps (continuous batching): each step has a token of
// every answer that is being made, and some tokens of prompts that are being
// read. Answers join and leave between steps. Of one thread.

#ifndef TRANSFOLD_RUNTIME_SERVE_RUNNINGBATCH_H
#define TRANSFOLD_RUNTIME_SERVE_RUNNINGBATCH_H

#include "runtime/serve/PrefixSlots.h"
#include "runtime/serve/RunningAnswer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

class RunningBatch {
public:
  /// So many at once, in sequences of `steps`.
  RunningBatch(Steps &steps, const Tokenizer &tokenizer, size_t parallel)
      : steps(steps), tokenizer(tokenizer), slots(steps, parallel) {}

  bool hasRoom() const { return slots.hasFree(); }
  bool isEmpty() const { return answers.empty(); }
  size_t size() const { return answers.size(); }
  /// Tokens of all completions, also of those that are over.
  const Usage &totals() const { return sums; }

  /// There must be room.
  void admit(CompletionJob job);
  /// Lets go of those that nobody waits for, and runs a step of the others.
  /// Returns false where nothing ran: all wait for who reads their answers.
  bool step();
  /// Ends all.
  void failAll(const ApiError &error);

private:
  using Answer = std::unique_ptr<RunningAnswer>;

  Steps &steps;
  const Tokenizer &tokenizer;
  PrefixSlots slots;
  std::vector<Answer> answers;
  Usage sums;
  // Of a step.
  std::vector<RunningAnswer *> going;
  std::vector<Steps::Chunk> chunks;
  /// An answer that takes a token, and what becomes of it.
  struct Taken {
    size_t chunk;
    bool isOver = false;
    std::optional<std::string> problem = {}; // why it failed
  };
  std::vector<Taken> taken;

  std::span<const int32_t> pending(const RunningAnswer &answer) const;
  void dropUnwanted();
  void gather();
  void gatherPrompts();
  void takeTokens();
  void take(Taken &own);
  void settle(const Taken &own);
  void fail(RunningAnswer &answer, const ApiError &error);
  void remove(const RunningAnswer &answer);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_RUNNINGBATCH_H
