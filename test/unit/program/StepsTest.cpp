// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence gets the requested room, and nothing is written past its end
// (FakeGenerator.cpp, with an encoder: rows of 4 elements, followed by
// letters).

#include "runtime/steps/Steps.h"

#include "base/Error.h"
#include "runtime/steps/Generator.h"

#include <gtest/gtest.h>

using namespace transfold;
using namespace transfold::runtime;

namespace {

class StepsTest : public testing::Test {
protected:
  LoadedProgram program{transfold_program_data, ""};
  ThreadPool pool;
  Session session{program, pool};

  static std::vector<float> rows(int64_t count) {
    return std::vector<float>(static_cast<size_t>(4 * count), 0.0f);
  }
  static std::string problem(const std::function<void()> &act) {
    try {
      act();
    } catch (const Error &error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(StepsTest, HasRoomForTheRowsOfItsRequest) {
  Steps steps(session, "decode", {.positions = 8, .requestRows = 3});
  size_t sequence = steps.add();
  EXPECT_EQ(problem([&] { steps.begin(sequence, rows(4), 4); }),
            "the beginning of a sequence has 4 rows, which is too long; there "
            "is room for 3");
  steps.begin(sequence, rows(3), 3);
  EXPECT_EQ(steps.capacity(), 8);
  std::vector<int32_t> tokens(9, 1);
  EXPECT_EQ(problem([&] { steps.runPrompt(sequence, tokens, 2); }),
            "a sequence of 9 tokens is too long; there is room for 8");
  EXPECT_EQ(steps.length(sequence), 0);
  steps.runPrompt(sequence, std::span(tokens).first(8), 2);
  EXPECT_EQ(steps.logits(0)[2], 2);
}

TEST_F(StepsTest, HasRoomForTheModelsPositions) {
  Steps steps(session, "decode", {.positions = 1 << 20, .requestRows = 200000});
  EXPECT_EQ(steps.capacity(), 40);
  size_t sequence = steps.add();
  std::vector<float> request = rows(200000);
  request.back() = request[request.size() - 4] = 5; // elements of the last row
  steps.begin(sequence, request, 200000);
  std::vector<int32_t> tokens = {1};
  steps.runPrompt(sequence, tokens);
  EXPECT_EQ(steps.logits(0)[7], 2); // 1 + 1 + 5
}

TEST_F(StepsTest, StopsWhereItIsCancelled) {
  Generator generator(session);
  Request request{{0, 0}}; // adds nothing to a letter
  Steps &steps = generator.makeSteps(16, std::span(&request, 1));
  auto sequence = [&] {
    std::vector<Generated> one;
    one.push_back({generator.begin(request), {1}, 1, {}, false});
    return one;
  };
  int asked = 0;
  GenerationOptions options;
  options.most = 6;
  options.isCancelled = [&] { return ++asked == 3; };
  auto onToken = [](Generated &) { return true; };
  std::vector<Generated> cancelled = sequence(), other = sequence();
  EXPECT_THROW(generator.run(cancelled, options, onToken), Cancelled);
  EXPECT_EQ(cancelled[0].tokens.size(),
            3u); // the one after the prompt, and two more
  asked = 0;
  EXPECT_THROW(beamSearch(steps, generator.begin(request), {{1}},
                          generator.withModel(options)),
               Cancelled);
  EXPECT_EQ(asked, 3);
  // Requests that are not cancelled continue.
  options.isCancelled = nullptr;
  generator.run(other, options, onToken);
  EXPECT_EQ(other[0].tokens.size(), 7u);
}

} // namespace
