// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of a sequence in a device's memory, which, unlike address space of
// the host, is occupied as soon as it is allocated: one block with room for
// some rows of each cache. If a cache is full, the block is replaced by one
// with twice as many rows.
//
// A cache with a window w slides. It has room for 2 (w - 1) rows and those of a
// step; if a step does not fit at the end, the w - 1 rows that it reads are
// moved to the front. Row p is then stored at index p - `first`, and the
// address of position 0 may lie before the block: kernels only add offsets, and
// read no row that is not held.
//
// All copies are in order with kernels; none waits for them. Copies of states,
// to which a sequence can go back (KeptStates.h), are blocks of their own.

#pragma once

#include "runtime/program/device/Device.h"
#include "runtime/steps/KeptStates.h"
#include "runtime/steps/SequenceCaches.h"

#include <memory>

namespace transfold::runtime::inline steps {

/// The caches of one sequence on a device.
class DeviceCaches final : public SequenceCaches {
public:
  /// Caches of a sequence of up to `mostPositions` tokens. `keepsStates`: the
  /// sequence may go back, and is to keep states for that.
  DeviceCaches(Device &device, const CacheLayout &layout, int64_t mostPositions,
               bool keepsStates = false);

  transfold_sequence memory() const override;
  void makeRoom(int64_t length, int64_t more, int64_t requestRows) override;
  void growTo(int64_t length) override;
  int64_t lengthHeld(int64_t length) const override;
  int64_t goBackTo(int64_t length) override;
  void copy(const SequenceCaches &other, int64_t shared, int64_t length,
            int64_t requestRows) override;
  /// Bytes of the block.
  int64_t bytes() const { return block ? block->bytes() : 0; }

private:
  using Rows = CacheLayout::Place::Rows;
  /// One cache in the block.
  struct Held {
    /// Number of rows allocated.
    int64_t offset = 0, rows = 0;
    int64_t first = 0; // position of the first row
  };

  Device &device;
  const CacheLayout &layout;
  int64_t last =
      0; // number of tokens after the last step, to which states belong
  /// Maximum number of tokens of the sequence: no cache needs more rows.
  int64_t mostPositions;
  /// Null before the first step.
  std::unique_ptr<DeviceMemory> block;
  bool keepsStates;
  KeptStates kept;
  /// Blocks of copies that were dropped. Allocating and freeing would wait for
  /// kernels.
  using Blocks = std::vector<std::unique_ptr<DeviceMemory>>;
  std::shared_ptr<Blocks> spare = std::make_shared<Blocks>();
  /// One element for each cache; the same holds for `places`.
  std::vector<Held> held;
  std::vector<transfold_place> places;

  /// Numbers of rows of a cache when `more` tokens are appended to a sequence
  /// of `length` tokens: those that the step needs, and those that always
  /// suffice.
  int64_t neededRows(size_t cache, int64_t length, int64_t more,
                     int64_t requestRows) const;
  int64_t mostRows(size_t cache, int64_t more) const;
  /// Whether such a step needs a larger block, or the window must slide.
  bool isFull(size_t cache, int64_t length, int64_t more,
              int64_t requestRows) const;
  /// Moves the contents to a new block with `rows` rows of each cache: those of
  /// a sequence of `length` tokens and `requestRows` rows of the request, to
  /// which `more` tokens will be appended.
  void moveTo(const std::vector<int64_t> &rows, int64_t length, int64_t more,
              int64_t requestRows);
  /// Copies rows [begin, end) of a cache (positions, or rows of the request)
  /// from a block with the layout `there`.
  void copyRows(const DeviceMemory &from, const Held &there, size_t cache,
                int64_t begin, int64_t end);
  /// Whether the rows that a step from `length` on reads are held; those that
  /// copies of states contain count if `withStates`.
  bool holds(int64_t length, bool withStates) const;
  /// Copies the states of a sequence of `length` tokens, or back.
  KeptStates::Bytes copyOfStates(int64_t length);
  void restore(const void *copy, int64_t length);
  /// Copies rows between the caches and a copy of states.
  void copyStates(const DeviceMemory &copy, int64_t length, bool isBack);
  /// Moves the rows of a window to the front (see the class comment).
  void slide(size_t cache, int64_t length);
  /// Updates `places` from `held`.
  void describePlaces();
};

/// Maximum number of bytes that a sequence holds of a cache with a window, if
/// no step has more than `chunk` tokens.
int64_t mostBytesOnDevice(const Cache &cache, int64_t chunk);

} // namespace transfold::runtime::inline steps
