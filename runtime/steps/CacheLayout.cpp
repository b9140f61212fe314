// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes offsets and sizes. Models and users determine them, so that sums and
// products are checked for overflow before memory is reserved.

#include "runtime/steps/CacheLayout.h"

#include "base/Error.h"
#include "runtime/steps/CacheMemory.h"

#include <algorithm>

namespace transfold::runtime::inline steps {

int64_t CacheLayout::pieceBytes() {
  return std::max<int64_t>(64 << 10, CacheMemory::pageBytes());
}

namespace {

/// Upper limit, larger than any memory.
constexpr int64_t tooManyBytes = int64_t{1} << 46;

/// Number of rows for which a member of the cache gets address space.
int64_t rowsOf(const Cache &cache, std::span<const int64_t> capacities) {
  return cache.length < 0 ? 1 : capacities[static_cast<size_t>(cache.length)];
}

/// Bytes of all members, rounded up to a multiple of 64; nullopt if they are
/// too many.
std::optional<int64_t> bytesOf(const Cache &cache, int64_t rows) {
  int64_t member = 0, bytes = 0;
  if (__builtin_mul_overflow(cache.rowBytes, rows, &member) ||
      __builtin_mul_overflow(member, cache.members, &bytes) ||
      bytes > tooManyBytes)
    return std::nullopt;
  return (bytes + 63) / 64 * 64;
}

} // namespace

std::optional<int64_t>
CacheLayout::bytesOf(std::span<const Cache> caches,
                     std::span<const int64_t> capacities) {
  int64_t all = 0;
  for (const Cache &cache : caches) {
    auto bytes = runtime::bytesOf(cache, rowsOf(cache, capacities));
    if (!bytes || (all += *bytes) > tooManyBytes)
      return std::nullopt;
  }
  return all;
}

CacheLayout::CacheLayout(std::span<const Cache> caches,
                         std::span<const int64_t> capacities,
                         size_t stepLength) {
  using Rows = Place::Rows;
  for (const Cache &cache : caches) {
    auto length = static_cast<size_t>(cache.length);
    Place place{.offset = size,
                .members = cache.members,
                .memberBytes = 0,
                .rowBytes = cache.rowBytes,
                .rows = cache.isState          ? Rows::State
                        : cache.length < 0     ? Rows::One
                        : length == stepLength ? Rows::Positions
                                               : Rows::Request,
                .window = cache.window};
    int64_t rows = rowsOf(cache, capacities);
    auto bytes = runtime::bytesOf(cache, rows);
    if (!bytes)
      fail("caches for {} rows do not fit in memory", rows);
    place.memberBytes = cache.rowBytes * rows;
    size += *bytes;
    all.push_back(place);
    inMemory.push_back({place.offset, place.memberBytes});
  }
}

int64_t CacheLayout::Place::givenBack(int64_t furthest) const {
  if (!window || rows != Rows::Positions)
    return 0;
  // Rows that no step reads any more, rounded down to whole pieces.
  int64_t gone = std::max<int64_t>(furthest - window + 1, 0);
  return gone * rowBytes / pieceBytes() * pieceBytes();
}

bool CacheLayout::hasStates() const {
  return std::ranges::any_of(
      all, [](const Place &place) { return place.rows == Place::Rows::State; });
}

/// Whether a sequence that has once been `furthest` tokens long still holds the
/// rows of `place` that steps from `length` on read.
static bool holdsRows(const CacheLayout::Place &place, int64_t length,
                      int64_t furthest) {
  int64_t gone = place.givenBack(furthest);
  return !gone || gone <= (length - place.window + 1) * place.rowBytes;
}

bool CacheLayout::holds(int64_t length, int64_t furthest) const {
  return std::ranges::all_of(all, [&](const Place &place) {
    return place.rows == Place::Rows::State
               ? length == furthest
               : holdsRows(place, length, furthest);
  });
}

bool CacheLayout::holdsOthers(int64_t length, int64_t furthest) const {
  return std::ranges::all_of(all, [&](const Place &place) {
    return place.isKept() || holdsRows(place, length, furthest);
  });
}

} // namespace transfold::runtime::inline steps
