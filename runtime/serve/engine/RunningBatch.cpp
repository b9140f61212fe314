// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of continuous batching: gather chunks, run them, choose tokens in
// parallel, and let completions leave. An error of a step ends only the
// completions in it.

#include "runtime/serve/engine/RunningBatch.h"

#include "runtime/serve/engine/PromptShares.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::serve {

std::span<const int32_t>
RunningBatch::pending(const RunningSequence &answer) const {
  return answer.tokens().subspan(slots.length(answer.slot()));
}

void RunningBatch::admit(CompletionJob job) {
  size_t slot = slots.take(job.prompt);
  size_t reused = slots.length(slot);
  sums.prompt += job.prompt.size();
  sums.reused += reused;
  answers.push_back(std::make_unique<RunningSequence>(std::move(job), tokenizer,
                                                      slot, reused));
}

void RunningBatch::remove(const RunningSequence &answer) {
  std::erase_if(answers,
                [&](const Answer &each) { return each.get() == &answer; });
}

void RunningBatch::fail(RunningSequence &answer, const ApiError &error) {
  answer.job().stream->fail(error, answer.usage());
}

void RunningBatch::dropUnwanted() {
  auto now = Clock::now();
  std::erase_if(answers, [&](const Answer &answer) {
    bool isLate = now >= answer->job().deadline;
    if (!isLate && !answer->job().stream->isCancelled())
      return false;
    if (isLate)
      fail(*answer, deadlineHasPassed("The answer exceeded its time limit."));
    slots.release(answer->slot());
    return true;
  });
}

void RunningBatch::gatherPrompts() {
  std::vector<RunningSequence *> prompts;
  std::vector<size_t> rests;
  for (const Answer &answer : answers)
    if (size_t rest = pending(*answer).size(); rest > 1) {
      prompts.push_back(answer.get());
      rests.push_back(rest);
    }
  std::vector<size_t> shares = promptShares(
      rests, !chunks.empty(), static_cast<size_t>(steps.usualChunk()));
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (shares[i] == 0)
      continue;
    going.push_back(prompts[i]);
    const size_t sequence = slots.sequence(prompts[i]->slot());
    chunks.push_back(
        {sequence, pending(*prompts[i])
                       .first(steps.partOf(sequence, rests[i], shares[i]))});
  }
}

void RunningBatch::gather() {
  going.clear();
  chunks.clear();
  for (const Answer &answer : answers) {
    if (pending(*answer).size() != 1 || answer->job().stream->isFull())
      continue;
    going.push_back(answer.get());
    chunks.push_back({slots.sequence(answer->slot()), pending(*answer)});
  }
  gatherPrompts();
}

/// Chooses and shows the next token of one answer; accesses only that answer,
/// so it may run in parallel.
void RunningBatch::take(Taken &own) {
  RunningSequence &answer = *going[own.chunk];
  try {
    const auto argmax = steps.argmax(own.chunk);
    own.isOver = !(argmax ? answer.takeLikeliest(*argmax)
                          : answer.take(steps.logits(own.chunk)));
  } catch (const std::exception &error) {
    own.problem = error.what();
  }
}

void RunningBatch::settle(const Taken &own) {
  RunningSequence &answer = *going[own.chunk];
  if (own.problem) {
    fail(answer, ApiError(500, *own.problem));
    slots.clear(answer.slot());
  } else {
    ++sums.made;
    if (!own.isOver)
      return;
    slots.release(answer.slot());
  }
  remove(answer);
}

/// Processes the results of the step. Choosing from a large vocabulary takes as
/// long as some kernels, so the answers are divided among the threads.
void RunningBatch::takeTokens() {
  taken.clear();
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    slots.append(going[chunk]->slot(), chunks[chunk].tokens);
    if (pending(*going[chunk]).empty()) // otherwise more of the prompt follows
      taken.push_back({chunk});
  }
  auto takeOne = [](void *, int i, uint8_t *closure) {
    auto *batch = reinterpret_cast<RunningBatch *>(closure);
    batch->take(batch->taken[static_cast<size_t>(i)]);
    return 0;
  };
  steps.pool().parallelFor(takeOne, nullptr, 0, static_cast<int>(taken.size()),
                           reinterpret_cast<uint8_t *>(this));
  for (const Taken &own : taken)
    settle(own);
}

bool RunningBatch::step() {
  dropUnwanted();
  gather();
  if (chunks.empty())
    return false;
  const bool areGreedy = std::ranges::all_of(going, &RunningSequence::isGreedy);
  try {
    steps.run(chunks, areGreedy ? Steps::For::Likeliest : Steps::For::Logits);
  } catch (const std::exception &error) {
    for (RunningSequence *answer : going) {
      fail(*answer, ApiError(500, error.what()));
      slots.clear(answer->slot());
      remove(*answer);
    }
    return true;
  }
  takeTokens();
  return true;
}

void RunningBatch::failAll(const ApiError &error) {
  for (const Answer &answer : answers) {
    fail(*answer, error);
    slots.release(answer->slot());
  }
  answers.clear();
}

} // namespace transfold::runtime::serve
