// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions that run in one batch (FakeGenerator.cpp): a is 0, each letter is
// followed by the next one, and h ends the text. After n there are NaNs; p
// repeats endlessly, and slowly.

#include "runtime/serve/engine/Scheduler.h"
#include "runtime/steps/Generator.h"

#include <gtest/gtest.h>

using namespace transfold::runtime;
using namespace transfold::runtime::serve;

namespace {

class ServeTest : public testing::Test {
protected:
  LoadedProgram program{transfold_program_data, ""};
  ThreadPool pool;
  Session session{program, pool};
  Generator generator{session};
  Steps &steps = generator.makeSteps(INT32_MAX, {});
  Tokenizer tokenizer{program.tokenizerTables()};

  /// Runs all completions of a batch to their ends.
  static void finish(RunningBatch &batch) {
    while (!batch.isEmpty())
      EXPECT_TRUE(batch.step());
  }

  static std::vector<int32_t> ids(std::string_view letters) {
    std::vector<int32_t> result;
    for (char letter : letters)
      result.push_back(letter - 'a');
    return result;
  }
  static CompletionJob job(std::string_view prompt, int64_t most = 20) {
    CompletionJob result;
    result.prompt = ids(prompt);
    result.most = most;
    result.ends = {7};
    return result;
  }
  /// The whole text, and how it ended.
  static std::string textOf(AnswerStream &stream) {
    std::string text = stream.take(std::chrono::seconds(20)).text;
    while (!stream.isOver())
      text += stream.take(std::chrono::seconds(20)).text;
    AnswerEnd end = stream.end();
    if (end.error)
      return text + " " + std::to_string(end.error->status);
    return text + (end.reason == AnswerEnd::Reason::Stop ? " stop" : " length");
  }
  /// Runs the tokens in the slot, as a step does.
  void run(PrefixSlots &slots, size_t slot, std::string_view letters) {
    std::vector<int32_t> tokens = ids(letters);
    steps.runPrompt(slots.sequence(slot), tokens);
    slots.append(slot, tokens);
  }
};

TEST_F(ServeTest, GoesOnFromACommonBeginning) {
  PrefixSlots slots(steps, 2);
  size_t first = slots.take(ids("abcdefghij"));
  EXPECT_EQ(slots.length(first), 0u);
  run(slots, first, "abcdefghij");
  slots.release(first);
  // In place, if most of the contents can be kept; the last token runs again.
  EXPECT_EQ(slots.take(ids("abcdefghij")), first);
  EXPECT_EQ(slots.length(first), 9u);
  run(slots, first, "j");
  // As a copy, while another sequence uses that slot.
  size_t second = slots.take(ids("abcdefghop"));
  EXPECT_NE(second, first);
  EXPECT_EQ(slots.length(second), 8u);
  EXPECT_FALSE(slots.hasFree());
  run(slots, second, "op");
  slots.release(first);
  slots.release(second);
  // The least recently used slot is replaced.
  EXPECT_EQ(slots.take(ids("ppp")), first);
  EXPECT_EQ(slots.length(first), 0u);
  // The other one is kept.
  EXPECT_EQ(slots.take(ids("abcdefghopa")), second);
  EXPECT_EQ(slots.length(second), 10u);
  slots.clear(second);
  EXPECT_EQ(slots.length(slots.take(ids("abcdefghopa"))), 0u);
}

TEST_F(ServeTest, AnswersJoinAndLeave) {
  RunningBatch batch(steps, tokenizer, 2);
  CompletionJob a = job("abc"), b = job("ij", 3), c = job("e");
  auto first = a.stream, second = b.stream, third = c.stream;
  batch.admit(std::move(a));
  EXPECT_TRUE(batch.step()); // d
  batch.admit(std::move(b));
  EXPECT_FALSE(batch.hasRoom());
  while (batch.size() == 2)
    EXPECT_TRUE(batch.step()); // until b has its three tokens
  EXPECT_TRUE(batch.hasRoom());
  batch.admit(std::move(c));
  finish(batch);
  EXPECT_EQ(textOf(*first), "defg stop");
  EXPECT_EQ(textOf(*second), "klm length");
  EXPECT_EQ(textOf(*third), "fg stop");
  EXPECT_EQ(first->end().usage.prompt, 3u);
  EXPECT_EQ(first->end().usage.made, 5u); // including the end token
  EXPECT_EQ(batch.totals().prompt, 6u);
  EXPECT_EQ(batch.totals().made, 11u);
}

TEST_F(ServeTest, AShortPromptDoesNotWaitForALongOne) {
  RunningBatch batch(steps, tokenizer, 3);
  // There is room for 40 tokens, fewer than a step can have; so an answer runs
  // at the same time, and the long prompts together exceed a step.
  CompletionJob running = job("a", 30), longer = job(std::string(38, 'b'), 1),
                other = job(std::string(38, 'c'), 1);
  auto first = longer.stream, second = other.stream;
  running.ends = {};
  batch.admit(std::move(running));
  EXPECT_TRUE(batch.step());
  batch.admit(std::move(longer));
  batch.admit(std::move(other));
  EXPECT_TRUE(batch.step()); // 64 of their 76 tokens
  EXPECT_EQ(batch.size(), 2u);
  EXPECT_TRUE(batch.step());
  EXPECT_EQ(batch.size(), 1u);
  EXPECT_EQ(textOf(*first), "c length");
  EXPECT_EQ(textOf(*second), "d length");
}

TEST_F(ServeTest, OneThatFailsLeavesOthersAlone) {
  RunningBatch batch(steps, tokenizer, 3);
  CompletionJob bad = job("an"), good = job("ab"), late = job("p");
  late.deadline = Clock::now();
  auto first = bad.stream, second = good.stream, third = late.stream;
  batch.admit(std::move(bad));
  batch.admit(std::move(good));
  batch.admit(std::move(late));
  finish(batch);
  EXPECT_EQ(textOf(*first), " 500");
  EXPECT_EQ(textOf(*second), "cdefg stop");
  EXPECT_EQ(textOf(*third), " 504");
}

TEST_F(ServeTest, StopsAtTextsAndWhereNobodyWaits) {
  RunningBatch batch(steps, tokenizer, 2);
  CompletionJob stopped = job("ab"), cancelled = job("ab");
  stopped.stops = {"ef"};
  auto first = stopped.stream, second = cancelled.stream;
  batch.admit(std::move(stopped));
  batch.admit(std::move(cancelled));
  EXPECT_TRUE(batch.step());
  second->cancel();
  while (!batch.isEmpty())
    batch.step();
  EXPECT_EQ(textOf(*first), "cd stop");
  EXPECT_FALSE(second->isOver());
  EXPECT_TRUE(batch.hasRoom());
}

TEST_F(ServeTest, WaitsForSlowReaders) {
  RunningBatch batch(steps, tokenizer, 1);
  CompletionJob one = job("ab");
  auto stream = one.stream;
  batch.admit(std::move(one));
  stream->push({std::string(100 << 10, 'x'), {}});
  EXPECT_TRUE(stream->isFull());
  EXPECT_TRUE(batch.step()); // the prompt, which is computed in any case
  EXPECT_FALSE(batch.step());
  stream->take(std::chrono::seconds(1));
  finish(batch);
  EXPECT_EQ(textOf(*stream), "defg stop");
}

TEST_F(ServeTest, ScoresTokens) {
  RunningBatch batch(steps, tokenizer, 1);
  CompletionJob one = job("b", 2);
  one.isScored = one.sampling.isScored = true;
  one.topScores = 2;
  auto stream = one.stream;
  batch.admit(std::move(one));
  while (!batch.isEmpty())
    batch.step();
  std::vector<ScoredToken> tokens =
      stream->take(std::chrono::seconds(1)).tokens;
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].bytes, "c");
  EXPECT_EQ(tokens[1].offset, 1u);
  // exp 2, relative to exp 1 and fourteen times exp 0.
  EXPECT_NEAR(tokens[0].logProbability, 2 - std::log(7.389056 + 2.718282 + 14),
              1e-6);
  ASSERT_EQ(tokens[0].top.size(), 2u);
  EXPECT_EQ(tokens[0].top[1].bytes, "d");
}

TEST_F(ServeTest, ScoresNothingThatAStopCutsOff) {
  RunningBatch batch(steps, tokenizer, 1);
  CompletionJob one = job("a");
  one.isScored = one.sampling.isScored = true;
  one.stops = {"de"};
  auto stream = one.stream;
  batch.admit(std::move(one));
  while (!batch.isEmpty())
    batch.step();
  Piece piece = stream->take(std::chrono::seconds(1));
  EXPECT_EQ(piece.text, "bc");
  ASSERT_EQ(piece.tokens.size(), 2u);
  EXPECT_EQ(piece.tokens[1].bytes, "c");
}

TEST_F(ServeTest, TheQueueHasALimit) {
  Scheduler scheduler(steps, tokenizer, {.parallel = 1, .waiting = 1});
  CompletionJob running = job("p", 30), waiting = job("ab"), more = job("ab");
  auto first = running.stream, second = waiting.stream;
  scheduler.submit(std::move(running));
  EXPECT_EQ(first->take(std::chrono::seconds(20)).text, "p"); // it runs
  scheduler.submit(std::move(waiting));
  try {
    scheduler.submit(std::move(more));
    ADD_FAILURE() << "the queue takes too many";
  } catch (const ApiError &error) {
    EXPECT_EQ(error.status, 429);
  }
  EXPECT_EQ(scheduler.numbers().waiting, 1u);
  EXPECT_EQ(scheduler.numbers().running, 1u);
  first->cancel();
  EXPECT_EQ(textOf(*second), "cdefg stop");
}

TEST_F(ServeTest, WhoHasGoneMakesRoom) {
  // No thread takes jobs from this queue, as while the model computes.
  JobQueue<CompletionJob> queue(2);
  auto isCancelledOrExpired = [](const CompletionJob &job) {
    return job.stream->isCancelled();
  };
  CompletionJob gone = job("ab");
  auto stream = gone.stream;
  queue.add(std::move(gone), isCancelledOrExpired);
  queue.add(job("b"), isCancelledOrExpired);
  EXPECT_THROW(queue.add(job("c"), isCancelledOrExpired), ApiError);
  stream->cancel();
  queue.add(job("d"), isCancelledOrExpired);
  ASSERT_EQ(queue.jobs.size(), 2u);
  EXPECT_EQ(queue.jobs[0].prompt, ids("b"));
  EXPECT_EQ(queue.jobs[1].prompt, ids("d"));
}

TEST_F(ServeTest, StopsAll) {
  Scheduler scheduler(steps, tokenizer, {.parallel = 1, .waiting = 4});
  CompletionJob running = job("p", 30), waiting = job("ab"), late = job("ab");
  auto first = running.stream, second = waiting.stream;
  scheduler.submit(std::move(running));
  scheduler.submit(std::move(waiting));
  scheduler.stop();
  EXPECT_TRUE(textOf(*first).ends_with(" 503"));
  EXPECT_EQ(textOf(*second), " 503");
  EXPECT_THROW(scheduler.submit(std::move(late)), ApiError);
}

} // namespace
