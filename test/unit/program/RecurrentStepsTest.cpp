// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step that failed has changed the states of its sequences: these begin again
// (FakeRecurrence.cpp: the likeliest token is the sum of all tokens modulo 16,
// and the token 15 fails after it was added).

#include "base/Error.h"
#include "runtime/steps/Generator.h"
#include "runtime/steps/Steps.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace transfold;
using namespace transfold::runtime;

namespace {

class RecurrentStepsTest : public testing::Test {
protected:
  /// The sum that the last step saw, modulo 16.
  size_t sum(size_t chunk = 0) const {
    std::span<const float> logits = steps.logits(chunk);
    return static_cast<size_t>(std::ranges::max_element(logits) -
                               logits.begin());
  }

  LoadedProgram program{transfold_program_data, ""};
  ThreadPool pool;
  Session session{program, pool};
  Steps steps{session, "decode", {.positions = 400, .keepsStates = true}};
};

TEST_F(RecurrentStepsTest, BeginsAgainAfterAStepThatFailed) {
  const size_t sequence = steps.add();
  const std::vector<int32_t> prompt = {1, 2, 3}, failing = {4, 15};
  steps.runPrompt(sequence, prompt);
  EXPECT_EQ(sum(), 6U);
  EXPECT_THROW(steps.runPrompt(sequence, failing), Error);
  EXPECT_EQ(steps.length(sequence), 0);
  steps.runPrompt(sequence, prompt);
  EXPECT_EQ(sum(), 6U);
}

TEST_F(RecurrentStepsTest, OnlySequencesOfTheFailedStepBeginAgain) {
  const size_t first = steps.add(), second = steps.add(), other = steps.add();
  const std::vector<int32_t> prompt = {1, 2, 3}, one = {1}, failing = {15};
  for (size_t sequence : {first, second, other})
    steps.runPrompt(sequence, prompt);
  const std::vector<Steps::Chunk> both = {{first, one, 1},
                                          {second, failing, 1}};
  EXPECT_THROW(steps.run(both), Error);
  EXPECT_EQ(steps.length(first), 0);
  EXPECT_EQ(steps.length(second), 0);
  EXPECT_EQ(steps.length(other), 3);
  steps.runPrompt(other, one);
  EXPECT_EQ(sum(), 7U);
}

/// A kept state is not a remedy: the copy that the sequence would go back to
/// is dropped with it, so that there is one rule for all sequences.
TEST_F(RecurrentStepsTest, ForgetsKeptStatesToo) {
  const size_t sequence = steps.add();
  const std::vector<int32_t> prompt(100, 1), failing = {15};
  steps.runPrompt(sequence, prompt);
  EXPECT_EQ(steps.lengthHeld(sequence, 99), 64);
  EXPECT_THROW(steps.runPrompt(sequence, failing), Error);
  EXPECT_EQ(steps.length(sequence), 0);
  steps.runPrompt(sequence, prompt);
  EXPECT_EQ(sum(), 100U % 16);
}

} // namespace
