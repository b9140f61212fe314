// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns rows before a window to the system, and copies sequences for beam
// search.

#include "runtime/steps/HostCaches.h"

#include <algorithm>
#include <cstring>

namespace transfold::runtime::inline steps {

void HostCaches::growTo(int64_t length) {
  if (length <= furthest)
    return;
  for (const CacheLayout::Place &place : layout->places()) {
    int64_t begin = place.givenBack(furthest), end = place.givenBack(length);
    if (begin == end)
      continue;
    // The page at `begin` was only partly covered by the last range, and was
    // kept.
    int64_t cut = begin ? CacheMemory::pageBytes() - 1 : 0;
    for (int64_t member = 0; member < place.members; ++member) {
      int64_t at = place.placeOf(member, 0);
      space.giveBack(at + begin - cut, at + end);
    }
  }
  if (keepsStates)
    kept.grow(furthest, length, [&] { return copyOfStates(length); });
  furthest = length;
}

KeptStates::Bytes HostCaches::copyOfStates(int64_t length) const {
  auto copy = std::make_shared<std::vector<uint8_t>>();
  copy->reserve(static_cast<size_t>(KeptStates::bytesOf(*layout)));
  for (auto [cache, member, first, count] :
       KeptStates::rowsOf(*layout, length)) {
    const CacheLayout::Place &place = layout->places()[cache];
    const uint8_t *from = data() + place.placeOf(member, first);
    copy->insert(copy->end(), from, from + count * place.rowBytes);
  }
  return copy;
}

void HostCaches::restore(const void *copy, int64_t length) {
  const auto *from = static_cast<const std::vector<uint8_t> *>(copy)->data();
  for (auto [cache, member, first, count] :
       KeptStates::rowsOf(*layout, length)) {
    const CacheLayout::Place &place = layout->places()[cache];
    const auto bytes = static_cast<size_t>(count * place.rowBytes);
    std::memcpy(data() + place.placeOf(member, first), from, bytes);
    from += bytes;
  }
}

void HostCaches::giveBackWindows() {
  for (const CacheLayout::Place &place : layout->places())
    if (place.givenBack(furthest))
      space.giveBack(place.offset,
                     place.offset + place.members * place.memberBytes);
  furthest = 0;
}

int64_t HostCaches::lengthHeld(int64_t length) const {
  if (layout->holds(length, furthest))
    return length;
  const int64_t earlier = kept.before(length);
  return layout->holdsOthers(earlier, furthest) ? earlier : 0;
}

int64_t HostCaches::goBackTo(int64_t length) {
  const int64_t held = lengthHeld(length);
  if (held == 0) {
    kept.clear();
    giveBackWindows();
  } else if (!layout->holds(held, furthest)) {
    restore(kept.goBackTo(held), held);
    furthest = held;
  }
  return held;
}

void HostCaches::copy(const SequenceCaches &from, int64_t shared,
                      int64_t length, int64_t requestRows) {
  const auto &other = static_cast<const HostCaches &>(from);
  // True if the other sequence holds rows that this one has given back.
  bool lacksRows = std::ranges::any_of(
      layout->places(), [&](const CacheLayout::Place &place) {
        return place.givenBack(furthest) > place.givenBack(other.furthest);
      });
  // Its window must hold the rows that the copy will read; it is filled anew.
  if (lacksRows)
    giveBackWindows();
  growTo(other.furthest);
  furthest = other.furthest;
  if (keepsStates)
    kept = other.kept;
  using Rows = CacheLayout::Place::Rows;
  for (const CacheLayout::Place &place : layout->places()) {
    int64_t begin = 0, end = length;
    if (place.rows == Rows::Positions)
      begin = place.window && lacksRows ? 0 : shared;
    else if (place.rows == Rows::State)
      end = 1;
    else // rows of the request; they were copied by the first copy
      end = shared ? 0 : place.rows == Rows::One ? 1 : requestRows;
    int64_t first =
        std::max(begin * place.rowBytes, place.givenBack(other.furthest));
    int64_t bytes = end * place.rowBytes - first;
    for (int64_t member = 0; member < place.members && bytes > 0; ++member) {
      int64_t at = place.offset + member * place.memberBytes + first;
      std::memcpy(data() + at, other.data() + at, static_cast<size_t>(bytes));
    }
  }
}

int64_t mostBytes(const Cache &cache, int64_t chunk) {
  // A member's first page may be shared with the last page of the preceding
  // member.
  return cache.members *
         ((cache.window - 1 + chunk) * cache.rowBytes +
          CacheLayout::pieceBytes() + 2 * CacheMemory::pageBytes());
}

} // namespace transfold::runtime::inline steps
