// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one sequence keeps: a row of each cache for each position, and rows of
// the request.
//
// A cache with a window w is a ring without a wrap. Rows lie at their positions
// as in any other cache, so that kernels need no other arithmetic, but behind
// the window they have no memory. A step from position p reads rows from
// p - w + 1 on (BoundWindows.cpp). Once a sequence was f tokens long, rows
// before f - w + 1 are given back, in pieces, so that calls of the system are
// rare beside tokens:
//
//   held:  ⌊max(f - w + 1, 0) · row / piece⌋ · piece  …  f · row   bytes
//
// That is the w - 1 rows that the next step reads, less than a piece before
// them, and the rows of the last step: w - 1 + its tokens, and a piece.
//
// A sequence that goes back to p reads rows from p - w + 1 on again. If they
// were given back it begins again at 0.

#ifndef TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H
#define TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H

#include "runtime/program/Metadata.h"
#include "runtime/steps/CacheMemory.h"

#include <span>
#include <vector>

namespace transfold::runtime {

/// How the caches of a program lie in the memory of a sequence (Program.h).
class CacheLayout {
public:
  /// `capacities` are rows along each of the cache lengths; steps add to
  /// `stepLength` of them.
  CacheLayout(std::span<const Cache> caches,
              std::span<const int64_t> capacities, size_t stepLength);

  /// One cache, with its members behind each other.
  struct Place {
    int64_t offset, members, memberBytes, rowBytes;
    enum class Rows { Positions, Request, One } rows;
    int64_t window; // 0: all positions are read

    /// Bytes at the beginning of each member that a sequence has given back
    /// which was `furthest` tokens long.
    int64_t givenBack(int64_t furthest) const;
  };
  std::span<const Place> places() const { return all; }
  int64_t bytes() const { return size; }
  /// Whether a sequence that was `furthest` tokens long holds all that steps
  /// from `length` on read.
  bool holds(int64_t length, int64_t furthest) const;

private:
  std::vector<Place> all;
  int64_t size = 0;
};

class SequenceCaches {
public:
  explicit SequenceCaches(const CacheLayout &layout)
      : layout(&layout), memory(layout.bytes()) {}

  uint8_t *data() const { return memory.data(); }
  /// The sequence has `length` tokens.
  void growTo(int64_t length);
  /// What the sequence can go on from: `length`, or 0 where rows were given
  /// back that it needs.
  int64_t goBackTo(int64_t length);
  /// The rows of another sequence, of `length` tokens and `requestRows` rows of
  /// the request. The first `shared` are the same already; where there are any,
  /// those of the request are.
  void copy(const SequenceCaches &other, int64_t shared, int64_t length,
            int64_t requestRows);

private:
  const CacheLayout *layout;
  CacheMemory memory;
  int64_t furthest = 0; // tokens that the sequence once had

  void giveBackWindows();
};

/// Bytes that a sequence holds of a cache with a window at most, if no step has
/// more than `chunk` tokens.
int64_t mostBytes(const Cache &cache, int64_t chunk);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_SEQUENCECACHES_H
