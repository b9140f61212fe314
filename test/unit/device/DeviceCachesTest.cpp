// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory in parts, and KV caches in it: a sequence always holds the rows
// that its next step reads, after any operations, and windows do not grow.

#include "FakeDevice.h"
#include "test/unit/AnyOrder.h"

#include "base/Error.h"
#include "runtime/steps/DeviceCaches.h"

#include <gtest/gtest.h>

#include <random>

using namespace transfold;
using namespace transfold::runtime;
using namespace transfold::test;

namespace {

TEST(DeviceMemoryTest, HasPartsThatKernelsCount) {
  constexpr int64_t part = int64_t{1} << TRANSFOLD_PART_BITS;
  DeviceMemory memory(&fake_device::interface);
  ASSERT_EQ(memory.allocate(1000), 0);
  EXPECT_EQ(memory.bytes(), 1000);
  ASSERT_EQ(memory.allocate(2 * part + 4), 0);
  EXPECT_EQ(memory.bytes(), 3 * part);
  for (uint64_t k = 0; k < 3; ++k)
    EXPECT_EQ(memory.parts().parts[k], memory.parts().parts[0] + k * part);
  EXPECT_EQ(fake_device::blocks, 1);

  std::vector<int32_t> sent(1000), back(1000);
  for (size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<int32_t>(i);
  ASSERT_EQ(memory.upload(2 * part - 2000, sent.data(), 4000), 0);
  ASSERT_EQ(memory.download(back.data(), 2 * part - 2000, 4000), 0);
  EXPECT_EQ(sent, back);
  memory.release();
  EXPECT_EQ(fake_device::blocks, 0);
}

constexpr int64_t mostPositions = 40000;

/// Caches: two windows, one without a window, one of the request, one with one
/// row.
const std::vector<Cache> caches = {
    {.name = "far", .length = 0, .members = 2, .rowBytes = 256, .window = 900},
    {.name = "near", .length = 0, .members = 3, .rowBytes = 136, .window = 5},
    {.name = "all", .length = 0, .members = 1, .rowBytes = 64, .window = 0},
    {.name = "memory", .length = 1, .members = 2, .rowBytes = 32, .window = 0},
    {.name = "one", .length = -1, .members = 1, .rowBytes = 8, .window = 0},
};
using Rows = CacheLayout::Place::Rows;

CacheLayout makeLayout() {
  const int64_t capacities[] = {mostPositions, 100};
  return {caches, capacities, 0};
}

/// A sequence as a model would use it: a row contains the token of its
/// position, or a number of the request.
struct Sequence {
  Sequence(Device &device, const CacheLayout &layout)
      : layout(layout),
        caches(std::make_unique<DeviceCaches>(device, layout, mostPositions)) {}

  void begin(int64_t rows) {
    caches->makeRoom(0, 0, rows);
    requestRows = rows;
    ++request;
    for (size_t i = 0; i < layout.places().size(); ++i)
      if (layout.places()[i].rows != Rows::Positions)
        for (int64_t row = 0; row < rowsOfRequest(i); ++row)
          write(i, row, request * 1000 + static_cast<int32_t>(row));
    tokens.resize(static_cast<size_t>(caches->goBackTo(0)));
  }

  void run(std::span<const int32_t> more) {
    const auto length = static_cast<int64_t>(tokens.size());
    caches->makeRoom(length, static_cast<int64_t>(more.size()), requestRows);
    expectReadable();
    for (size_t i = 0; i < layout.places().size(); ++i)
      if (layout.places()[i].rows == Rows::Positions)
        for (size_t k = 0; k < more.size(); ++k)
          write(i, length + static_cast<int64_t>(k), more[k]);
    tokens.insert(tokens.end(), more.begin(), more.end());
    caches->growTo(static_cast<int64_t>(tokens.size()));
  }

  void goBackTo(size_t length) {
    tokens.resize(
        static_cast<size_t>(caches->goBackTo(static_cast<int64_t>(length))));
  }

  void copy(const Sequence &other) {
    auto shared =
        request == other.request
            ? std::ranges::mismatch(tokens, other.tokens).in1 - tokens.begin()
            : 0;
    tokens = other.tokens;
    request = other.request;
    requestRows = other.requestRows;
    caches->copy(*other.caches, shared, static_cast<int64_t>(tokens.size()),
                 requestRows);
  }

  int64_t rowsOfRequest(size_t cache) const {
    return layout.places()[cache].rows == Rows::One ? 1 : requestRows;
  }

  /// Checks that all rows that the next step reads are present.
  void expectReadable() const {
    auto length = static_cast<int64_t>(tokens.size());
    for (size_t i = 0; request && i < layout.places().size(); ++i) {
      const CacheLayout::Place &place = layout.places()[i];
      const bool isOfRequest = place.rows != Rows::Positions;
      const int64_t first =
          place.window ? std::max<int64_t>(length - place.window + 1, 0) : 0;
      const int64_t end = isOfRequest ? rowsOfRequest(i) : length;
      for (int64_t row = first; row < end; ++row)
        for (int64_t member = 0; member < place.members; ++member)
          ASSERT_EQ(*address(i, member, row),
                    isOfRequest ? request * 1000 + static_cast<int32_t>(row)
                                : tokens[static_cast<size_t>(row)])
              << "row " << row << " of " << end << ", cache " << i;
    }
  }

  void write(size_t cache, int64_t row, int32_t number) {
    const CacheLayout::Place &place = layout.places()[cache];
    for (int64_t member = 0; member < place.members; ++member)
      std::fill_n(address(cache, member, row), place.rowBytes / 4, number);
  }

  /// Computes addresses as the code of an entry does. A block's rows are one
  /// part.
  int32_t *address(size_t cache, int64_t member, int64_t row) const {
    const transfold_sequence memory = caches->memory();
    const transfold_place &place = memory.places[cache];
    const int64_t at = place.begin + member * place.stride +
                       row * layout.places()[cache].rowBytes;
    EXPECT_GE(at, 0);
    EXPECT_LT(at, caches->bytes());
    return reinterpret_cast<int32_t *>(memory.on_device.parts[0] +
                                       static_cast<uint64_t>(at));
  }

  const CacheLayout &layout;
  std::unique_ptr<DeviceCaches> caches;
  std::vector<int32_t> tokens;
  int32_t request = 0;
  int64_t requestRows = 0;
};

constexpr const char *older = "x86-64-linux-cuda-cuda_capability_70",
                     *newer = "x86-64-linux-cuda-cuda_capability_80";

// A program for newer GPUs is not chosen on an older one, and if it was
// requested, the message says what is missing.
TEST(DeviceMemoryTest, IsThereForTargetsThatItCanRun) {
  for (const char *target : {"", "x86-64-linux-cl_doubles-opencl", older})
    EXPECT_TRUE(isThere(&fake_device::interface, target)) << target;
  EXPECT_FALSE(isThere(&fake_device::interface, newer));
  const uint8_t weight[4] = {};
  try {
    DeviceWeights weights(&fake_device::interface, newer, weight);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(newer), std::string::npos);
  }
}

class DeviceCachesTest : public ::testing::Test {
protected:
  const CacheLayout layout = makeLayout();
  const uint8_t weight[4] = {};
  const DeviceWeights weights{&fake_device::interface, older, weight};
  Device device{weights, fake_device::helpers};
  std::mt19937 random{7};
};

/// Copies of the same size are launched together, eight at a time.
TEST_F(DeviceCachesTest, CopiesStartTogether) {
  DeviceMemory from(&fake_device::interface), to(&fake_device::interface);
  ASSERT_EQ(from.allocate(4096), 0);
  ASSERT_EQ(to.allocate(8192), 0);
  std::vector<int32_t> sent(1024), back(2048);
  for (size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<int32_t>(i);
  ASSERT_EQ(from.upload(0, sent.data(), 4096), 0);
  fake_device::copyLaunches = 0;
  constexpr int64_t copies = 21;
  for (int64_t k = 0; k < copies; ++k)
    ASSERT_EQ(device.copyWithin({to.parts(), 200 * k + 8, from.parts(), 40 * k,
                                 k % 3 ? 24 : 36},
                                /*more=*/k + 1 < copies),
              0);
  // 14 copies of 24 bytes, 7 of 36.
  EXPECT_EQ(fake_device::copyLaunches, 3);
  ASSERT_EQ(to.download(back.data(), 0, 8192), 0);
  for (int64_t k = 0; k < copies; ++k)
    for (int64_t i = 0; i < 12; ++i)
      EXPECT_EQ(back[static_cast<size_t>(50 * k + 2 + i)],
                i < (k % 3 ? 6 : 9) ? 10 * k + i : -1);
}

/// Uploads of a few bytes are combined into one; others are not.
TEST_F(DeviceCachesTest, UploadsCrossTogether) {
  transfold_device &functions = device.functions();
  std::vector<int32_t> sent(1 << 15), back(1 << 15);
  for (size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<int32_t>(i);
  device.reserveArena(1 << 17);
  for (auto [far, uploads] : {std::pair(4096, 1), {65792, 3}}) {
    fake_device::uploads = 0;
    EXPECT_EQ(functions.upload(&functions, 128, sent.data() + 5, 8, 1), 0);
    EXPECT_EQ(functions.upload(&functions, far, sent.data() + 9, 12, 1), 0);
    EXPECT_EQ(functions.upload(&functions, 64, sent.data() + 2, 4, 0), 0);
    EXPECT_EQ(fake_device::uploads, uploads);
    EXPECT_EQ(functions.download(&functions, back.data(), 0, 1 << 17), 0);
    EXPECT_EQ(back[16], 2);
    EXPECT_EQ(back[32], 5);
    EXPECT_EQ(back[33], 6);
    EXPECT_EQ(back[static_cast<size_t>(far) / 4 + 2], 11);
  }
}

TEST_F(DeviceCachesTest, AShortSequenceTakesLittle) {
  Sequence sequence(device, layout);
  sequence.begin(3);
  sequence.run(randomTokens(random, 10));
  // 64 rows of each cache, not 40000.
  EXPECT_LE(sequence.caches->bytes(), 64 * (2 * 256 + 3 * 136 + 64) + 512);
}

TEST_F(DeviceCachesTest, WindowsDoNotGrow) {
  Sequence sequence(device, layout);
  sequence.begin(3);
  while (sequence.tokens.size() < 30000)
    sequence.run(randomTokens(random, 1 + random() % 300));
  // Twice the window and a step; the cache without a window holds all rows, up
  // to the maximum number of positions.
  EXPECT_LE(sequence.caches->bytes(), 2 * (2 * 899 + 300) * 256 +
                                          3 * (2 * 4 + 300) * 136 +
                                          mostPositions * 64 + 1024);
}

TEST_F(DeviceCachesTest, GoesBackAsFarAsRowsAreHeld) {
  Sequence sequence(device, layout);
  sequence.begin(3);
  sequence.run(randomTokens(random, 400));
  EXPECT_EQ(sequence.caches->goBackTo(1), 1);
  sequence.goBackTo(400);
  for (int k = 0; k < 3000; ++k)
    sequence.run(randomTokens(random, 1));
  EXPECT_EQ(sequence.caches->goBackTo(3400), 3400);
  EXPECT_EQ(sequence.caches->goBackTo(100), 0);
  sequence.tokens.clear();
  sequence.run(randomTokens(random, 400));
  EXPECT_EQ(sequence.caches->goBackTo(1), 1);
}

TEST_F(DeviceCachesTest, SaysWhatCannotBeHad) {
  Sequence sequence(device, layout);
  sequence.begin(3);
  sequence.run(randomTokens(random, 60));
  fake_device::mostBytes = 100000;
  EXPECT_THROW(sequence.caches->makeRoom(60, 300, 3), Error);
  fake_device::mostBytes = INT64_MAX;
  sequence.run(randomTokens(random, 300));
}

/// Random operations in random order.
TEST_F(DeviceCachesTest, HoldsWhatTheNextStepReadsWhateverWasDone) {
  std::vector<Sequence> sequences;
  for (int k = 0; k < 3; ++k) {
    sequences.emplace_back(device, layout);
    sequences.back().request = 100 * k;
    sequences.back().begin(1 + k);
  }
  expectReadableInAnyOrder(sequences, [&] {
    if (random() % 9 == 0)
      sequences[random() % 3].begin(1 + static_cast<int64_t>(random() % 90));
    else
      goOnSomehow(sequences, random);
  });
}

} // namespace
