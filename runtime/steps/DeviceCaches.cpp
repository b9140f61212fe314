// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides when a sequence needs a larger block, and copies rows between and
// within blocks. Doubling makes the number of copied rows proportional to the
// length of the sequence.

#include "runtime/steps/DeviceCaches.h"

#include "base/Error.h"
#include "runtime/kernels/KernelError.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::inline steps {

/// Minimum number of rows of positions that a sequence gets, so that short
/// conversations are rarely moved.
static constexpr int64_t leastRows = 64;

/// Number of rows within which a window slides; `more` rows are appended per
/// step.
static int64_t rowsOfWindow(int64_t window, int64_t more) {
  return 2 * (window - 1) + more;
}

int64_t mostBytesOnDevice(const Cache &cache, int64_t chunk) {
  const int64_t rows = std::max(leastRows, rowsOfWindow(cache.window, chunk));
  return cache.members * cache.rowBytes * rows;
}

DeviceCaches::DeviceCaches(Device &device, const CacheLayout &layout,
                           int64_t mostPositions, bool keepsStates)
    : device(device), layout(layout), mostPositions(mostPositions),
      keepsStates(keepsStates && layout.hasStates()),
      held(layout.places().size()), places(layout.places().size()) {}

transfold_sequence DeviceCaches::memory() const {
  return {nullptr, block ? block->parts() : transfold_memory{}, places.data()};
}

//===----------------------------------------------------------------------===//
// Number of rows
//===----------------------------------------------------------------------===//

/// Number of rows that a step reads and writes, which a block must have.
int64_t DeviceCaches::neededRows(size_t cache, int64_t length, int64_t more,
                                 int64_t requestRows) const {
  const CacheLayout::Place &place = layout.places()[cache];
  switch (place.rows) {
  case Rows::One:
  case Rows::State:
    return 1;
  case Rows::Request:
    return std::max<int64_t>(requestRows, 1);
  case Rows::Positions:
    break;
  }
  return (place.window ? std::min(length, place.window - 1) : length) + more;
}

/// Number of rows that suffices for a sequence of any length.
int64_t DeviceCaches::mostRows(size_t cache, int64_t more) const {
  const CacheLayout::Place &place = layout.places()[cache];
  if (!place.window)
    return mostPositions;
  return std::min(mostPositions, rowsOfWindow(place.window, more));
}

/// Whether the rows of a step lie past the end of the rows allocated.
bool DeviceCaches::isFull(size_t cache, int64_t length, int64_t more,
                          int64_t requestRows) const {
  const int64_t end = layout.places()[cache].rows == Rows::Positions
                          ? length + more - held[cache].first
                          : neededRows(cache, length, more, requestRows);
  return end > held[cache].rows;
}

void DeviceCaches::makeRoom(int64_t length, int64_t more, int64_t requestRows) {
  bool moves = !block;
  for (size_t i = 0; i < held.size(); ++i)
    moves |= isFull(i, length, more, requestRows) &&
             (!layout.places()[i].window || held[i].rows < mostRows(i, more));
  // The block is large enough; only windows that have reached their end slide.
  if (!moves) {
    for (size_t i = 0; i < held.size(); ++i)
      if (isFull(i, length, more, requestRows))
        slide(i, length);
    return;
  }
  std::vector<int64_t> rows;
  for (size_t i = 0; i < held.size(); ++i) {
    int64_t wanted = neededRows(i, length, more, requestRows);
    if (layout.places()[i].rows == Rows::Positions &&
        isFull(i, length, more, requestRows))
      wanted = std::max(wanted, std::min(std::max(2 * held[i].rows, leastRows),
                                         mostRows(i, more)));
    rows.push_back(std::max(wanted, held[i].rows));
  }
  moveTo(rows, length, more, requestRows);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Throws Error unless the code that a copy returned is 0.
static void checkCopy(int code) {
  if (code)
    fail("the caches of a sequence cannot be copied on the device: {}",
         lastKernelError(code));
}

void DeviceCaches::copyRows(const DeviceMemory &from, const Held &there,
                            size_t cache, int64_t begin, int64_t end) {
  const CacheLayout::Place &place = layout.places()[cache];
  const Held &here = held[cache];
  for (int64_t member = 0; member < place.members && begin < end; ++member) {
    auto at = [&](const Held &lies) {
      return lies.offset +
             (member * lies.rows + begin - lies.first) * place.rowBytes;
    };
    checkCopy(device.copyWithin({block->parts(), at(here), from.parts(),
                                 at(there), (end - begin) * place.rowBytes},
                                /*more=*/member + 1 < place.members));
  }
}

/// Moves the rows that a step from `length` on reads to the front. Source and
/// target do not overlap: these are w - 1 rows, and there are as many before
/// them.
void DeviceCaches::slide(size_t cache, int64_t length) {
  const Held before = held[cache];
  held[cache].first =
      std::max<int64_t>(length - layout.places()[cache].window + 1, 0);
  copyRows(*block, before, cache, held[cache].first, length);
  describePlaces();
}

void DeviceCaches::moveTo(const std::vector<int64_t> &rows, int64_t length,
                          int64_t more, int64_t requestRows) {
  const std::vector<Held> before = held;
  int64_t bytes = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    const CacheLayout::Place &place = layout.places()[i];
    held[i].offset = bytes;
    held[i].rows = rows[i];
    // A sequence that goes back may also need rows before its window.
    if (place.window && length + more - held[i].first > rows[i])
      held[i].first = std::max(held[i].first, length - place.window + 1);
    bytes += (place.members * rows[i] * place.rowBytes + 63) / 64 * 64;
  }
  auto old = std::exchange(
      block, std::make_unique<DeviceMemory>(device.deviceInterface()));
  if (int code = block->allocate(bytes)) {
    block = std::move(old);
    held = before;
    fail(
        "cannot allocate {} MiB for the caches of a sequence on the device: {}",
        bytes >> 20, lastKernelError(code));
  }
  describePlaces();
  for (size_t i = 0; old && i < held.size(); ++i) {
    const bool hasPositions = layout.places()[i].rows == Rows::Positions;
    copyRows(*old, before[i], i, held[i].first,
             hasPositions
                 ? length
                 : std::min(before[i].rows, neededRows(i, 0, 0, requestRows)));
  }
}

void DeviceCaches::describePlaces() {
  for (size_t i = 0; i < held.size(); ++i) {
    const int64_t rowBytes = layout.places()[i].rowBytes;
    places[i] = {held[i].offset - held[i].first * rowBytes,
                 held[i].rows * rowBytes};
  }
}

//===----------------------------------------------------------------------===//
// Going back
//===----------------------------------------------------------------------===//

bool DeviceCaches::holds(int64_t length, bool withStates) const {
  for (size_t i = 0; i < held.size(); ++i) {
    const CacheLayout::Place &place = layout.places()[i];
    if (place.isKept() && !withStates)
      continue;
    if (place.rows == Rows::State
            ? length != last
            : held[i].first > std::max<int64_t>(length - place.window + 1, 0))
      return false;
  }
  return true;
}

int64_t DeviceCaches::lengthHeld(int64_t length) const {
  if (holds(length, /*withStates=*/true))
    return length;
  const int64_t earlier = kept.before(length);
  return holds(earlier, /*withStates=*/false) ? earlier : 0;
}

int64_t DeviceCaches::goBackTo(int64_t length) {
  const int64_t found = lengthHeld(length);
  if (found == 0) {
    kept.clear();
    for (Held &each : held)
      each.first = 0;
    describePlaces();
  } else if (!holds(found, /*withStates=*/true)) {
    restore(kept.goBackTo(found), found);
  }
  last = found;
  return found;
}

void DeviceCaches::growTo(int64_t length) {
  if (keepsStates && length > last)
    kept.grow(last, length, [&] { return copyOfStates(length); });
  last = length;
}

KeptStates::Bytes DeviceCaches::copyOfStates(int64_t length) {
  std::unique_ptr<DeviceMemory> copy;
  if (!spare->empty()) {
    copy = std::move(spare->back());
    spare->pop_back();
  } else {
    copy = std::make_unique<DeviceMemory>(device.deviceInterface());
    // Without a copy the sequence computes more tokens when it goes back.
    if (copy->allocate(KeptStates::bytesOf(layout)))
      return nullptr;
  }
  copyStates(*copy, length, /*isBack=*/false);
  return {copy.release(), [spare = spare](DeviceMemory *dropped) {
            spare->emplace_back(dropped);
          }};
}

void DeviceCaches::restore(const void *copy, int64_t length) {
  for (const KeptStates::Rows &rows : KeptStates::rowsOf(layout, length))
    held[rows.cache].first = rows.first;
  describePlaces();
  copyStates(*static_cast<const DeviceMemory *>(copy), length,
             /*isBack=*/true);
}

void DeviceCaches::copyStates(const DeviceMemory &copy, int64_t length,
                              bool isBack) {
  const std::vector<KeptStates::Rows> all = KeptStates::rowsOf(layout, length);
  int64_t at = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    auto [cache, member, first, count] = all[i];
    const Held &lies = held[cache];
    const int64_t rowBytes = layout.places()[cache].rowBytes,
                  bytes = count * rowBytes,
                  own = lies.offset +
                        (member * lies.rows + first - lies.first) * rowBytes;
    const bool more = i + 1 < all.size();
    checkCopy(device.copyWithin(
        isBack ? Device::Copy{block->parts(), own, copy.parts(), at, bytes}
               : Device::Copy{copy.parts(), at, block->parts(), own, bytes},
        more));
    at += bytes;
  }
}

void DeviceCaches::copy(const SequenceCaches &from, int64_t shared,
                        int64_t length, int64_t requestRows) {
  const auto &other = static_cast<const DeviceCaches &>(from);
  if (!other.block)
    return;
  bool isEnough = block != nullptr;
  std::vector<int64_t> rows;
  for (size_t i = 0; i < held.size(); ++i) {
    rows.push_back(std::max(held[i].rows, other.held[i].rows));
    isEnough &= rows.back() == held[i].rows;
  }
  if (!isEnough)
    moveTo(rows, shared, 0, requestRows);
  for (size_t i = 0; i < held.size(); ++i) {
    if (layout.places()[i].rows != Rows::Positions) {
      if (!shared || layout.places()[i].rows == Rows::State)
        // Those of the request were copied by the first copy.
        copyRows(*other.block, other.held[i], i, 0,
                 neededRows(i, 0, 0, requestRows));
      continue;
    }
    int64_t begin = std::max(shared, other.held[i].first);
    // If the windows begin at different positions, shared rows lie at different
    // places: all rows are copied.
    if (held[i].first != other.held[i].first)
      begin = held[i].first = other.held[i].first;
    copyRows(*other.block, other.held[i], i, begin, length);
  }
  last = other.last;
  if (keepsStates)
    kept = other.kept;
  describePlaces();
}

} // namespace transfold::runtime::inline steps
