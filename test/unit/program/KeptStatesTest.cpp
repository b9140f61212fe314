// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences with states go back to positions where these were kept, after any
// operations, and keep few of them: on the host and on a device.

#include "runtime/steps/DeviceCaches.h"
#include "runtime/steps/HostCaches.h"
#include "test/unit/AnyOrder.h"
#include "test/unit/device/FakeDevice.h"

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

constexpr int64_t mostPositions = 40000;

CacheLayout makeLayout() {
  const int64_t capacities[] = {mostPositions};
  return {caches, capacities, 0};
}

/// Makes caches on the host.
struct OnHost {
  std::unique_ptr<SequenceCaches> make(const CacheLayout &layout,
                                       bool keepsStates = true) {
    return std::make_unique<HostCaches>(layout, keepsStates);
  }
};

/// Makes caches on a device.
struct OnDevice {
  std::unique_ptr<SequenceCaches> make(const CacheLayout &layout,
                                       bool keepsStates = true) {
    return std::make_unique<DeviceCaches>(device, layout, mostPositions,
                                          keepsStates);
  }

  const uint8_t weight[4] = {};
  const DeviceWeights weights{&fake_device::interface, "", weight};
  Device device{weights, fake_device::helpers};
};

/// A sequence as a recurrent model would use it: the state depends on all
/// tokens, a row contains the token of its position.
struct Sequence {
  Sequence(const CacheLayout &layout, std::unique_ptr<SequenceCaches> caches)
      : layout(layout), caches(std::move(caches)) {}

  /// Computes addresses as the code of an entry does.
  uint8_t *address(size_t cache, int64_t member, int64_t row) const {
    const transfold_sequence memory = caches->memory();
    const transfold_place &place = memory.places[cache];
    const int64_t at = place.begin + member * place.stride +
                       row * layout.places()[cache].rowBytes;
    return memory.on_device.parts
               ? reinterpret_cast<uint8_t *>(memory.on_device.parts[0]) + at
               : memory.memory + at;
  }

  // Modulo 2^64, so that long sequences do not overflow.
  static int64_t after(int64_t state, int32_t token) {
    return static_cast<int64_t>(static_cast<uint64_t>(state) * 31 +
                                static_cast<uint64_t>(token));
  }

  void run(std::span<const int32_t> more) {
    const auto length = static_cast<int64_t>(tokens.size());
    caches->makeRoom(length, static_cast<int64_t>(more.size()), 0);
    for (size_t cache = 0; cache < layout.places().size(); ++cache)
      for (int64_t member = 0; member < layout.places()[cache].members;
           ++member)
        runMember(cache, member, more);
    tokens.insert(tokens.end(), more.begin(), more.end());
    caches->growTo(static_cast<int64_t>(tokens.size()));
  }

  void runMember(size_t cache, int64_t member, std::span<const int32_t> more) {
    if (layout.places()[cache].rows == CacheLayout::Place::Rows::Positions) {
      for (size_t k = 0; k < more.size(); ++k)
        std::memcpy(address(cache, member, int64_t(tokens.size() + k)),
                    &more[k], 4);
      return;
    }
    int64_t state = 0;
    if (!tokens.empty()) // otherwise the step begins anew
      std::memcpy(&state, address(cache, member, 0), 8);
    for (int32_t token : more)
      state = after(state, token);
    std::memcpy(address(cache, member, 0), &state, 8);
  }

  void goBackTo(size_t length) {
    const int64_t held = caches->lengthHeld(static_cast<int64_t>(length));
    ASSERT_EQ(caches->goBackTo(static_cast<int64_t>(length)), held);
    ASSERT_LE(held, static_cast<int64_t>(length));
    tokens.resize(static_cast<size_t>(held));
  }

  void copy(const Sequence &other) {
    auto shared =
        std::ranges::mismatch(tokens, other.tokens).in1 - tokens.begin();
    tokens = other.tokens;
    caches->copy(*other.caches, shared, static_cast<int64_t>(tokens.size()), 0);
  }

  void expectReadable() const {
    int64_t state = 0;
    for (int32_t token : tokens)
      state = after(state, token);
    for (size_t cache = 0; cache < layout.places().size(); ++cache)
      for (int64_t member = 0; member < layout.places()[cache].members;
           ++member)
        expectReadable(cache, member, state);
  }

  void expectReadable(size_t cache, int64_t member, int64_t state) const {
    const CacheLayout::Place &place = layout.places()[cache];
    const auto length = static_cast<int64_t>(tokens.size());
    if (place.rows == CacheLayout::Place::Rows::State) {
      int64_t found = state;
      if (length)
        std::memcpy(&found, address(cache, member, 0), 8);
      ASSERT_EQ(found, state) << length;
      return;
    }
    const int64_t first =
        place.window ? std::max<int64_t>(length - place.window + 1, 0) : 0;
    for (int64_t row = first; row < length; ++row) {
      int32_t found = 0;
      std::memcpy(&found, address(cache, member, row), 4);
      ASSERT_EQ(found, tokens[static_cast<size_t>(row)])
          << "row " << row << " of " << length;
    }
  }

  const CacheLayout &layout;
  std::unique_ptr<SequenceCaches> caches;
  std::vector<int32_t> tokens;
};

template <typename Memory> class KeptStatesTest : public ::testing::Test {
protected:
  const CacheLayout layout = makeLayout();
  std::mt19937 random{7};
  Memory memory; // before the sequences in it

  Sequence sequence() { return {layout, memory.make(layout)}; }
  void run(Sequence &sequence, size_t tokens) {
    sequence.run(randomTokens(random, tokens));
  }
};
using Memories = ::testing::Types<OnHost, OnDevice>;
TYPED_TEST_SUITE(KeptStatesTest, Memories);

/// The parts of a prompt of 1000 tokens as Steps::partOf chooses them, then an
/// answer.
TYPED_TEST(KeptStatesTest, GoesBackToTheEndOfThePrompt) {
  Sequence sequence = this->sequence();
  for (size_t part : {512, 448, 40})
    this->run(sequence, part);
  for (int k = 0; k < 900; ++k)
    this->run(sequence, 1);
  sequence.expectReadable();
  EXPECT_EQ(sequence.caches->lengthHeld(1900), 1900);
  EXPECT_EQ(sequence.caches->lengthHeld(1899), 1856);
  EXPECT_EQ(sequence.caches->lengthHeld(1800), 1792);
  EXPECT_EQ(sequence.caches->lengthHeld(1700), 960);
  EXPECT_EQ(sequence.caches->lengthHeld(999), 960);
  EXPECT_EQ(sequence.caches->lengthHeld(900), 512);
  EXPECT_EQ(sequence.caches->lengthHeld(511), 0);
  sequence.goBackTo(999);
  EXPECT_EQ(sequence.tokens.size(), 960U);
  sequence.expectReadable();
  this->run(sequence, 100);
  sequence.expectReadable();
  EXPECT_EQ(sequence.caches->lengthHeld(1059), 960);
}

/// A short prompt after a long answer crosses no multiple of 64: the last copy
/// of the answer stays.
TYPED_TEST(KeptStatesTest, GoesBackToAPromptAfterAnAnswer) {
  Sequence sequence = this->sequence();
  for (size_t part : {64, 36})
    this->run(sequence, part);
  for (int k = 0; k < 1000; ++k)
    this->run(sequence, 1);
  this->run(sequence, 20);
  for (int k = 0; k < 500; ++k)
    this->run(sequence, 1);
  EXPECT_EQ(sequence.caches->lengthHeld(1119), 1088);
  sequence.goBackTo(1119);
  sequence.expectReadable();
}

/// The distances between copies grow with the distance from the end.
TYPED_TEST(KeptStatesTest, KeepsFewStatesOfALongPrompt) {
  Sequence sequence = this->sequence();
  for (int k = 0; k < 60; ++k)
    this->run(sequence, 512);
  std::vector<int64_t> held;
  for (int64_t length = 30720; length > 0;
       length = sequence.caches->lengthHeld(length - 1))
    held.push_back(length);
  EXPECT_EQ(held.size(), KeptStates::mostOfPrompt);
  EXPECT_EQ(held[1], 30720 - 512);
  EXPECT_GT(held.back(), 0);
  EXPECT_LT(held.back(), 20000);
}

TYPED_TEST(KeptStatesTest, KeepsNothingForSequencesThatDoNotGoBack) {
  auto caches = this->memory.make(this->layout, /*keepsStates=*/false);
  for (int64_t length : {64, 100}) {
    caches->makeRoom(length - 64, 64, 0);
    caches->growTo(length);
  }
  EXPECT_EQ(caches->lengthHeld(99), 0);
}

TYPED_TEST(KeptStatesTest, HoldsWhatTheNextStepReadsWhateverWasDone) {
  std::vector<Sequence> sequences;
  for (int k = 0; k < 3; ++k)
    sequences.push_back(this->sequence());
  expectReadableInAnyOrder(sequences, [&] {
    goOnSomehow(sequences, this->random);
    // Aligned, as parts of prompts are.
    Sequence &one = sequences[this->random() % sequences.size()];
    if (one.tokens.size() < 30000)
      this->run(one, 64 - one.tokens.size() % 64);
  });
}

} // namespace
