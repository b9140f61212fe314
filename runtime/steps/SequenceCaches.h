// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one sequence keeps: a row of each cache for each position, and rows of
// the request. It lies where kernels work: HostCaches, DeviceCaches.
//
// Of a cache with a window w a step from position p reads rows from p - w + 1
// on (BoundWindows.cpp), so rows before those need not be held. A sequence that
// goes back to p reads rows from p - w + 1 on again; if they are not held any
// more it begins again at 0.

#ifndef TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H
#define TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H

#include "runtime/program/Program.h"
#include "runtime/steps/CacheLayout.h"

namespace transfold::runtime {

/// Lengths are numbers of tokens.
class SequenceCaches {
public:
  virtual ~SequenceCaches() = default;

  /// For the code of an entry, until the next call of another function.
  virtual transfold_sequence memory() const = 0;
  /// A step is to add `more` tokens to a sequence of `length` tokens and
  /// `requestRows` rows of the request. Throws Error where there is no memory.
  virtual void makeRoom(int64_t length, int64_t more, int64_t requestRows) = 0;
  /// The sequence has `length` tokens.
  virtual void growTo(int64_t length) = 0;
  /// What the sequence can go on from: `length`, or 0 where rows were given
  /// back that it needs.
  virtual int64_t goBackTo(int64_t length) = 0;
  /// The rows of another sequence in the same memory, of `length` tokens and
  /// `requestRows` rows of the request. The first `shared` are the same
  /// already; where there are any, those of the request are.
  virtual void copy(const SequenceCaches &other, int64_t shared, int64_t length,
                    int64_t requestRows) = 0;

protected:
  SequenceCaches() = default;
  SequenceCaches(SequenceCaches &&) = default;
  SequenceCaches &operator=(SequenceCaches &&) = default;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H
