// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/RunningBatch.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Tokens of prompts in a step that makes tokens of answers too: enough that
/// reading them costs little more a token than in a step of their own, and few
/// enough that nobody waits long for a next token.
constexpr size_t promptTokensBesideAnswers = 64;

} // namespace

std::span<const int32_t>
RunningBatch::pending(const RunningAnswer &answer) const {
  return answer.tokens().subspan(slots.length(answer.slot()));
}

void RunningBatch::admit(CompletionJob job) {
  size_t slot = slots.take(job.prompt);
  size_t reused = slots.length(slot);
  sums.prompt += job.prompt.size();
  sums.reused += reused;
  answers.push_back(
      std::make_unique<RunningAnswer>(std::move(job), tokenizer, slot, reused));
}

void RunningBatch::remove(const RunningAnswer &answer) {
  std::erase_if(answers,
                [&](const Answer &each) { return each.get() == &answer; });
}

void RunningBatch::fail(RunningAnswer &answer, const ApiError &error) {
  answer.job().stream->fail(error, answer.usage());
}

void RunningBatch::dropUnwanted() {
  auto now = Clock::now();
  std::erase_if(answers, [&](const Answer &answer) {
    bool isLate = now >= answer->job().deadline;
    if (!isLate && !answer->job().stream->isCancelled())
      return false;
    if (isLate)
      fail(*answer, deadlineHasPassed("The answer took longer than it may."));
    slots.release(answer->slot());
    return true;
  });
}

/// Prompts share what there is in the order in which they came.
void RunningBatch::gatherPrompts(size_t most) {
  for (const Answer &answer : answers) {
    std::span<const int32_t> rest = pending(*answer);
    if (rest.size() < 2 || most == 0)
      continue;
    std::span<const int32_t> part = rest.first(std::min(rest.size(), most));
    most -= part.size();
    going.push_back(answer.get());
    chunks.push_back({slots.sequence(answer->slot()), part});
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
  gatherPrompts(chunks.empty() ? static_cast<size_t>(Steps::usualChunk)
                               : promptTokensBesideAnswers);
}

/// What the step gave for one of its chunks.
void RunningBatch::take(size_t chunk) {
  RunningAnswer &answer = *going[chunk];
  size_t slot = answer.slot();
  slots.append(slot, chunks[chunk].tokens);
  if (!pending(answer).empty())
    return; // there is more of the prompt
  bool isOver = true;
  try {
    isOver = !answer.take(steps.logits(chunk));
    ++sums.made;
    if (isOver)
      slots.release(slot);
  } catch (const std::exception &error) {
    fail(answer, ApiError(500, error.what()));
    slots.clear(slot);
  }
  if (isOver)
    remove(answer);
}

bool RunningBatch::step() {
  dropUnwanted();
  gather();
  if (chunks.empty())
    return false;
  try {
    steps.run(chunks);
  } catch (const std::exception &error) {
    for (RunningAnswer *answer : going) {
      fail(*answer, ApiError(500, error.what()));
      slots.clear(answer->slot());
      remove(*answer);
    }
    return true;
  }
  for (size_t i = 0; i < chunks.size(); ++i)
    take(i);
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
