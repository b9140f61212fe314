// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences with states go back to positions where these were kept, after any
// operations, and keep few of them.

#include "runtime/steps/HostCaches.h"
#include "test/unit/AnyOrder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace transfold::runtime;
using namespace transfold::test;

namespace {

const std::vector<Cache> caches = {
    {.name = "state",
     .length = -1,
     .members = 3,
     .rowBytes = 40,
     .isState = true},
    {.name = "rows", .length = 0, .members = 2, .rowBytes = 4096, .window = 4},
    {.name = "keys", .length = 0, .members = 1, .rowBytes = 8, .window = 0},
};

CacheLayout makeLayout() {
  const int64_t capacities[] = {40000};
  return {caches, capacities, 0};
}

/// A sequence as a recurrent model would use it: the state depends on all
/// tokens, a row contains the token of its position.
struct Sequence {
  explicit Sequence(const CacheLayout &layout)
      : layout(layout), caches(layout, /*keepsStates=*/true) {}

  static int64_t after(int64_t state, int32_t token) {
    return state * 31 + token;
  }

  void run(std::span<const int32_t> more) {
    for (const CacheLayout::Place &place : layout.places())
      for (int64_t member = 0; member < place.members; ++member)
        runMember(place, member, more);
    tokens.insert(tokens.end(), more.begin(), more.end());
    caches.growTo(static_cast<int64_t>(tokens.size()));
  }

  void runMember(const CacheLayout::Place &place, int64_t member,
                 std::span<const int32_t> more) {
    if (place.rows == CacheLayout::Place::Rows::Positions) {
      for (size_t k = 0; k < more.size(); ++k)
        std::memcpy(caches.data() +
                        place.placeOf(member, int64_t(tokens.size() + k)),
                    &more[k], 4);
      return;
    }
    int64_t state = 0;
    if (!tokens.empty()) // otherwise the step begins anew
      std::memcpy(&state, caches.data() + place.placeOf(member, 0), 8);
    for (int32_t token : more)
      state = after(state, token);
    std::memcpy(caches.data() + place.placeOf(member, 0), &state, 8);
  }

  void goBackTo(size_t length) {
    const int64_t held = caches.lengthHeld(static_cast<int64_t>(length));
    ASSERT_EQ(caches.goBackTo(static_cast<int64_t>(length)), held);
    ASSERT_LE(held, static_cast<int64_t>(length));
    tokens.resize(static_cast<size_t>(held));
  }

  void copy(const Sequence &other) {
    auto shared =
        std::ranges::mismatch(tokens, other.tokens).in1 - tokens.begin();
    tokens = other.tokens;
    caches.copy(other.caches, shared, static_cast<int64_t>(tokens.size()), 0);
  }

  void expectReadable() const {
    const auto length = static_cast<int64_t>(tokens.size());
    int64_t state = 0;
    for (int32_t token : tokens)
      state = after(state, token);
    for (const CacheLayout::Place &place : layout.places())
      for (int64_t member = 0; member < place.members; ++member) {
        if (place.rows == CacheLayout::Place::Rows::State) {
          int64_t found = 0;
          std::memcpy(&found, caches.data() + place.placeOf(member, 0), 8);
          ASSERT_TRUE(tokens.empty() || found == state) << length;
          continue;
        }
        int64_t first =
            place.window ? std::max<int64_t>(length - place.window + 1, 0) : 0;
        for (int64_t row = first; row < length; ++row) {
          int32_t found = 0;
          std::memcpy(&found, caches.data() + place.placeOf(member, row), 4);
          ASSERT_EQ(found, tokens[static_cast<size_t>(row)])
              << "row " << row << " of " << length;
        }
      }
  }

  const CacheLayout &layout;
  HostCaches caches;
  std::vector<int32_t> tokens;
};

class KeptStatesTest : public ::testing::Test {
protected:
  const CacheLayout layout = makeLayout();
  std::mt19937 random{7};
};

/// The parts of a prompt of 1000 tokens as Steps::partOf chooses them, then an
/// answer.
TEST_F(KeptStatesTest, GoesBackToTheEndOfThePrompt) {
  Sequence sequence(layout);
  for (size_t part : {512, 448, 40})
    sequence.run(randomTokens(random, part));
  for (int k = 0; k < 900; ++k)
    sequence.run(randomTokens(random, 1));
  sequence.expectReadable();
  EXPECT_EQ(sequence.caches.lengthHeld(1900), 1900);
  EXPECT_EQ(sequence.caches.lengthHeld(1899), 1856);
  EXPECT_EQ(sequence.caches.lengthHeld(1800), 1792);
  EXPECT_EQ(sequence.caches.lengthHeld(1700), 960);
  EXPECT_EQ(sequence.caches.lengthHeld(999), 960);
  EXPECT_EQ(sequence.caches.lengthHeld(900), 512);
  EXPECT_EQ(sequence.caches.lengthHeld(511), 0);
  sequence.goBackTo(999);
  EXPECT_EQ(sequence.tokens.size(), 960U);
  sequence.expectReadable();
  sequence.run(randomTokens(random, 100));
  sequence.expectReadable();
  EXPECT_EQ(sequence.caches.lengthHeld(1059), 960);
}

/// A short prompt after a long answer crosses no multiple of 64: the last copy
/// of the answer stays.
TEST_F(KeptStatesTest, GoesBackToAPromptAfterAnAnswer) {
  Sequence sequence(layout);
  for (size_t part : {64, 36})
    sequence.run(randomTokens(random, part));
  for (int k = 0; k < 1000; ++k)
    sequence.run(randomTokens(random, 1));
  sequence.run(randomTokens(random, 20));
  for (int k = 0; k < 500; ++k)
    sequence.run(randomTokens(random, 1));
  EXPECT_EQ(sequence.caches.lengthHeld(1119), 1088);
  sequence.goBackTo(1119);
  sequence.expectReadable();
}

/// The distances between copies grow with the distance from the end.
TEST_F(KeptStatesTest, KeepsFewStatesOfALongPrompt) {
  Sequence sequence(layout);
  for (int k = 0; k < 60; ++k)
    sequence.run(randomTokens(random, 512));
  std::vector<int64_t> held;
  for (int64_t length = 30720; length > 0;
       length = sequence.caches.lengthHeld(length - 1))
    held.push_back(length);
  EXPECT_EQ(held.size(), KeptStates::mostOfPrompt);
  EXPECT_EQ(held[1], 30720 - 512);
  EXPECT_GT(held.back(), 0);
  EXPECT_LT(held.back(), 20000);
}

TEST_F(KeptStatesTest, KeepsNothingForSequencesThatDoNotGoBack) {
  HostCaches caches(layout, /*keepsStates=*/false);
  caches.growTo(64);
  caches.growTo(100);
  EXPECT_EQ(caches.lengthHeld(99), 0);
}

TEST_F(KeptStatesTest, HoldsWhatTheNextStepReadsWhateverWasDone) {
  std::vector<Sequence> sequences;
  for (int k = 0; k < 3; ++k)
    sequences.emplace_back(layout);
  expectReadableInAnyOrder(sequences, [&] {
    goOnSomehow(sequences, random);
    // Aligned, as parts of prompts are.
    Sequence &one = sequences[random() % sequences.size()];
    if (one.tokens.size() < 30000)
      one.run(randomTokens(random, 64 - one.tokens.size() % 64));
  });
}

} // namespace
