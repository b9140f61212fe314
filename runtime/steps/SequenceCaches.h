// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of one sequence: a row of each cache for each position, and rows
// of the request. They lie where kernels work: HostCaches, DeviceCaches.
//
// For a cache with a window w, a step from position p reads rows from p - w + 1
// on (BoundWindows.cpp), so earlier rows need not be held. A sequence that goes
// back to p reads rows from p - w + 1 on again; if they are no longer held, it
// begins again at 0. A sequence with states goes back to a position where they
// were kept.

#pragma once

#include "runtime/program/Program.h"
#include "runtime/steps/CacheLayout.h"

namespace transfold::runtime::inline steps {

/// All lengths are numbers of tokens.
class SequenceCaches {
public:
  virtual ~SequenceCaches() = default;

  /// The memory for the code of an entry; valid until another function is
  /// called.
  virtual transfold_sequence memory() const = 0;
  /// Prepares a step that appends `more` tokens to a sequence of `length`
  /// tokens and `requestRows` rows of the request. Throws Error if there is not
  /// enough memory.
  virtual void makeRoom(int64_t length, int64_t more, int64_t requestRows) = 0;
  /// Called after a step: the sequence now has `length` tokens.
  virtual void growTo(int64_t length) = 0;
  /// The length from which the sequence could be continued if it goes back to
  /// `length`: that length, an earlier one whose states were kept, or 0.
  virtual int64_t lengthHeld(int64_t length) const = 0;
  /// Goes back to lengthHeld(length), and returns it.
  virtual int64_t goBackTo(int64_t length) = 0;
  /// Copies the rows of another sequence in the same kind of memory, which has
  /// `length` tokens and `requestRows` rows of the request. The first `shared`
  /// rows are already equal and are not copied; if there are any, the rows of
  /// the request are equal, too.
  virtual void copy(const SequenceCaches &other, int64_t shared, int64_t length,
                    int64_t requestRows) = 0;

protected:
  SequenceCaches() = default;
  SequenceCaches(SequenceCaches &&) = default;
  SequenceCaches &operator=(SequenceCaches &&) = default;
};

} // namespace transfold::runtime::inline steps
