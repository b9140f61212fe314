// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KV caches with windows: a sequence always holds the rows that its next step
// reads, after any operations, and not many more.

#include "runtime/steps/HostCaches.h"
#include "test/unit/AnyOrder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <sys/prctl.h>

using namespace transfold::runtime;
using namespace transfold::test;

namespace {

constexpr int64_t capacity = 40000;

/// Two windows, one with rows whose size divides pages and one without; a cache
/// without a window; one of the request.
const std::vector<Cache> caches = {
    {.name = "far", .length = 0, .members = 2, .rowBytes = 256, .window = 900},
    {.name = "near", .length = 0, .members = 3, .rowBytes = 136, .window = 5},
    {.name = "all", .length = 0, .members = 1, .rowBytes = 64, .window = 0},
    {.name = "memory", .length = 1, .members = 2, .rowBytes = 32, .window = 0},
};
const Cache &far = caches[0], &near = caches[1], &unbounded = caches[2];

CacheLayout makeLayout() {
  const int64_t capacities[] = {capacity, 100};
  return {caches, capacities, 0};
}

/// A sequence as a model would use it: a row contains the token of its
/// position.
struct Sequence {
  explicit Sequence(const CacheLayout &layout)
      : layout(layout), caches(layout, /*keepsStates=*/false) {}

  void run(std::span<const int32_t> more) {
    for (const CacheLayout::Place &place : layout.places())
      if (place.rows == CacheLayout::Place::Rows::Positions)
        for (size_t k = 0; k < more.size(); ++k)
          write(place, static_cast<int64_t>(tokens.size() + k), more[k]);
    tokens.insert(tokens.end(), more.begin(), more.end());
    caches.growTo(static_cast<int64_t>(tokens.size()));
  }

  void goBackTo(size_t length) {
    length = static_cast<size_t>(caches.goBackTo(static_cast<int64_t>(length)));
    tokens.resize(length);
  }

  void copy(const Sequence &other) {
    auto shared =
        std::ranges::mismatch(tokens, other.tokens).in1 - tokens.begin();
    tokens = other.tokens;
    caches.copy(other.caches, shared, static_cast<int64_t>(tokens.size()), 0);
  }

  /// Checks that all rows that the next step reads are present.
  void expectReadable() const {
    auto length = static_cast<int64_t>(tokens.size());
    for (const CacheLayout::Place &place : layout.places()) {
      if (place.rows != CacheLayout::Place::Rows::Positions)
        continue;
      int64_t first =
          place.window ? std::max<int64_t>(length - place.window + 1, 0) : 0;
      for (int64_t row = first; row < length; ++row)
        for (int64_t member = 0; member < place.members; ++member)
          ASSERT_EQ(read(place, member, row), tokens[static_cast<size_t>(row)])
              << "row " << row << " of " << length << ", window "
              << place.window;
    }
  }

  int32_t read(const CacheLayout::Place &place, int64_t member,
               int64_t row) const {
    int32_t ends[2];
    const uint8_t *at = caches.data() + place.placeOf(member, row);
    std::memcpy(&ends[0], at, 4);
    std::memcpy(&ends[1], at + place.rowBytes - 4, 4);
    return ends[0] == ends[1] ? ends[0] : -1;
  }

  void write(const CacheLayout::Place &place, int64_t row, int32_t token) {
    for (int64_t member = 0; member < place.members; ++member)
      for (int64_t at = 0; at < place.rowBytes; at += 4)
        std::memcpy(caches.data() + place.placeOf(member, row) + at, &token, 4);
  }

  const CacheLayout &layout;
  HostCaches caches;
  std::vector<int32_t> tokens;
};

/// The resident memory of the mapping at `address`; -1 if the system does not
/// report it.
int64_t residentBytes(const void *address) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool isIn = false;
  while (std::getline(maps, line)) {
    unsigned long begin, end;
    long kilobytes;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      isIn = begin <= reinterpret_cast<unsigned long>(address) &&
             reinterpret_cast<unsigned long>(address) < end;
    else if (isIn && std::sscanf(line.c_str(), "Rss: %ld", &kilobytes) == 1)
      return kilobytes * 1024;
  }
  return -1;
}

class SequenceCachesTest : public ::testing::Test {
protected:
  // Huge pages would be released only in large pieces.
  SequenceCachesTest() { ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

  const CacheLayout layout = makeLayout();
  std::mt19937 random{7};
};

/// 30000 tokens, in steps of 1 to 300: many times past both windows.
TEST_F(SequenceCachesTest, HoldsAWindowAndTheLastStepOnly) {
  Sequence sequence(layout);
  int64_t most = 0;
  while (sequence.tokens.size() < 30000) {
    sequence.run(randomTokens(random, 1 + random() % 300));
    most = std::max(most, residentBytes(sequence.caches.data()));
    if (sequence.tokens.size() % 8 == 0)
      sequence.expectReadable();
  }
  sequence.expectReadable();
  if (most < 0)
    GTEST_SKIP() << "the system does not say what is resident";
  int64_t bound = mostBytes(far, 300) + mostBytes(near, 300) +
                  30300 * unbounded.rowBytes + CacheMemory::pageBytes();
  EXPECT_LE(most, bound);
  // Without windows it would be 30000 × (3 × 136 + 64 + 2 × 256) bytes.
  EXPECT_LT(bound, 30000 * (3 * 136 + 64 + 2 * 256) / 6);
}

/// In the wider window a piece has 256 rows: at 256 + 899 tokens the first one
/// is released, and its last row was needed until then.
TEST_F(SequenceCachesTest, GivesBackNoRowTooEarly) {
  Sequence sequence(layout);
  sequence.run(randomTokens(random, 1150));
  while (sequence.tokens.size() < 1160) {
    sequence.run(randomTokens(random, 1));
    sequence.expectReadable();
  }
}

/// Released rows read as zeros: kernels never read values that are not finite.
TEST_F(SequenceCachesTest, RowsBehindTheWindowAreZero) {
  Sequence sequence(layout);
  sequence.run(randomTokens(random, 5000));
  for (const CacheLayout::Place &place : layout.places()) {
    if (!place.window)
      continue;
    int64_t first = CacheMemory::pageBytes() / place.rowBytes + 1;
    int64_t last =
        (place.givenBack(5000) - CacheMemory::pageBytes()) / place.rowBytes;
    ASSERT_LT(first, last);
    for (int64_t row = first; row < last; ++row)
      ASSERT_EQ(sequence.read(place, 1, row), 0) << row;
  }
}

TEST_F(SequenceCachesTest, GoesBackAsFarAsRowsAreHeld) {
  Sequence sequence(layout);
  sequence.run(randomTokens(random, 3000));
  EXPECT_EQ(sequence.caches.goBackTo(2999), 2999);
  // The first 2048 rows of the wider window are released: of 3000 - 899 rows of
  // 256 bytes, eight whole pieces of 64 KiB.
  if (CacheMemory::pageBytes() <= 64 << 10) {
    EXPECT_EQ(sequence.caches.goBackTo(2048 + 899), 2048 + 899);
    EXPECT_EQ(sequence.caches.goBackTo(2048 + 898), 0);
  }
  // After a restart, it holds everything.
  sequence.tokens.clear();
  sequence.run(randomTokens(random, 400));
  sequence.expectReadable();
  EXPECT_EQ(sequence.caches.goBackTo(1), 1);
}

TEST_F(SequenceCachesTest, BeginningAgainGivesTheOldWindowBack) {
  Sequence sequence(layout);
  sequence.run(randomTokens(random, 20000));
  sequence.goBackTo(0);
  sequence.run(randomTokens(random, 10));
  int64_t resident = residentBytes(sequence.caches.data());
  EXPECT_LE(resident, 20000 * unbounded.rowBytes + (64 << 10));
}

/// Random operations in random order.
TEST_F(SequenceCachesTest, HoldsWhatTheNextStepReadsWhateverWasDone) {
  std::vector<Sequence> sequences;
  for (int k = 0; k < 3; ++k)
    sequences.emplace_back(layout);
  expectReadableInAnyOrder(sequences, [&] { goOnSomehow(sequences, random); });
}

} // namespace
