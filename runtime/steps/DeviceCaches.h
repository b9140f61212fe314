// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sequence keeps in a device's memory, where nothing is given that is
// not asked for: one block with room for some rows of each cache. Where they
// are too few, a block with twice as many takes its place.
//
// A cache with a window w slides. It has room for 2 (w - 1) rows and those of a
// step; where a step finds no room at the end, the w - 1 rows that it reads are
// moved to the front. Rows are then `first` rows before where their positions
// say, and the place of position 0 may be before the block: kernels add, and
// read no row that is not held.
//
// All copies are in order with kernels; none waits for them.

#ifndef TRANSFOLD_RUNTIME_STEPS_DEVICECACHES_H
#define TRANSFOLD_RUNTIME_STEPS_DEVICECACHES_H

#include "runtime/program/Device.h"
#include "runtime/steps/SequenceCaches.h"

#include <memory>

namespace transfold::runtime {

class DeviceCaches final : public SequenceCaches {
public:
  /// Of sequences of up to `mostPositions` tokens.
  DeviceCaches(Device &device, const CacheLayout &layout,
               int64_t mostPositions);

  transfold_sequence memory() const override;
  void makeRoom(int64_t length, int64_t more, int64_t requestRows) override;
  void growTo(int64_t) override {}
  int64_t goBackTo(int64_t length) override;
  void copy(const SequenceCaches &other, int64_t shared, int64_t length,
            int64_t requestRows) override;
  /// Bytes of the block.
  int64_t bytes() const { return block ? block->bytes() : 0; }

private:
  using Rows = CacheLayout::Place::Rows;
  /// One cache in the block.
  struct Held {
    int64_t offset = 0, rows = 0; // there is room for so many
    int64_t first = 0;            // position of the first of them
  };

  Device &device;
  const CacheLayout &layout;
  int64_t mostPositions;
  std::unique_ptr<DeviceMemory> block;
  std::vector<Held> held;
  std::vector<transfold_place> places;

  int64_t neededRows(size_t cache, int64_t length, int64_t more,
                     int64_t requestRows) const;
  int64_t mostRows(size_t cache, int64_t more) const;
  bool isFull(size_t cache, int64_t length, int64_t more,
              int64_t requestRows) const;
  /// Moves to a block with so many rows of each cache what a sequence of
  /// `length` tokens and `requestRows` rows has that is to get `more`.
  void moveTo(const std::vector<int64_t> &rows, int64_t length, int64_t more,
              int64_t requestRows);
  /// Rows [begin, end) of a cache: of positions, or of a request.
  void copyRows(const DeviceMemory &from, const Held &there, size_t cache,
                int64_t begin, int64_t end);
  void slide(size_t cache, int64_t length);
  void describePlaces();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_DEVICECACHES_H
