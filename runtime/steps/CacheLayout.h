// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sequence keeps, and where it lies in the host's memory (HostCaches.h).

#ifndef TRANSFOLD_RUNTIME_STEPS_CACHELAYOUT_H
#define TRANSFOLD_RUNTIME_STEPS_CACHELAYOUT_H

#include "runtime/program/Metadata.h"
#include "runtime/program/Program.h"

#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime {

/// How the caches of a program lie in the host's memory (Program.h), and what
/// they are.
class CacheLayout {
public:
  /// `capacities` are rows along each of the cache lengths; steps add to
  /// `stepLength` of them.
  CacheLayout(std::span<const Cache> caches,
              std::span<const int64_t> capacities, size_t stepLength);

  /// Bytes of all of them; none where that is more than any memory has.
  static std::optional<int64_t> bytesOf(std::span<const Cache> caches,
                                        std::span<const int64_t> capacities);

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
  /// The same as entries read it.
  std::span<const transfold_place> placesInMemory() const { return inMemory; }
  int64_t bytes() const { return size; }
  /// Of what a sequence gives back at once, at least a page. A call of the
  /// system takes some microseconds; for rows of 4 KiB it is one for each
  /// member and 16 tokens.
  static int64_t pieceBytes();
  /// Whether a sequence that was `furthest` tokens long holds all that steps
  /// from `length` on read.
  bool holds(int64_t length, int64_t furthest) const;

private:
  std::vector<Place> all;
  std::vector<transfold_place> inMemory;
  int64_t size = 0;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_CACHELAYOUT_H
