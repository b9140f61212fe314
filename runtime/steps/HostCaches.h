// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of a sequence in the host's memory.
//
// A cache with a window w is like a ring buffer without wrap-around. Rows lie
// at their positions as in any other cache, so that kernels need no other
// arithmetic, but rows before the window have no memory. A step from position p
// reads rows from p - w + 1 on (BoundWindows.cpp). Once a sequence has been f
// tokens long, rows before f - w + 1 are returned to the system, in pieces, so
// that system calls are rare compared with tokens:
//
//   held:  ⌊max(f - w + 1, 0) · row / piece⌋ · piece  …  f · row   bytes
//
// That is the w - 1 rows that the next step reads, less than one piece before
// them, and the rows of the last step: w - 1 rows, those of the step's tokens,
// and a piece.
//
// A sequence that goes back to p reads rows from p - w + 1 on again. If they
// were given back, it begins again at 0. One with states of recurrences, which
// are those of its last position, goes back to the last position before p where
// they were kept (KeptStates.h).

#pragma once

#include "runtime/steps/CacheMemory.h"
#include "runtime/steps/KeptStates.h"
#include "runtime/steps/SequenceCaches.h"

namespace transfold::runtime::inline steps {

/// The caches of one sequence on the host.
class HostCaches final : public SequenceCaches {
public:
  /// `keepsStates`: the sequence may go back, and is to keep states for that.
  HostCaches(const CacheLayout &layout, bool keepsStates)
      : layout(&layout), space(layout.bytes()),
        keepsStates(keepsStates && layout.hasStates()) {}

  uint8_t *data() const { return space.data(); }
  transfold_sequence memory() const override {
    return {data(), {}, layout->placesInMemory().data()};
  }
  /// Nothing to do: the constructor reserves address space for the whole
  /// layout.
  void makeRoom(int64_t, int64_t, int64_t) override {}
  void growTo(int64_t length) override;
  int64_t lengthHeld(int64_t length) const override;
  int64_t goBackTo(int64_t length) override;
  void copy(const SequenceCaches &other, int64_t shared, int64_t length,
            int64_t requestRows) override;

private:
  /// The layout must outlive this object.
  const CacheLayout *layout;
  CacheMemory space;
  bool keepsStates;
  KeptStates kept;
  /// The largest number of tokens that the sequence has had; the number that it
  /// has, if it has states.
  int64_t furthest = 0;

  /// Copies the states of a sequence of `length` tokens, or back.
  KeptStates::Bytes copyOfStates(int64_t length) const;
  void restore(const void *copy, int64_t length);
  /// Returns the memory of all caches with windows, after which the sequence
  /// has to begin again.
  void giveBackWindows();
};

/// Maximum number of bytes that a sequence holds of a cache with a window, if
/// no step has more than `chunk` tokens.
int64_t mostBytes(const Cache &cache, int64_t chunk);

} // namespace transfold::runtime::inline steps
