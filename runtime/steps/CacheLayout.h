// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a sequence's caches in the host's memory (HostCaches.h).

#pragma once

#include "runtime/program/Program.h"
#include "runtime/program/metadata/Metadata.h"

#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::inline steps {

/// The position of each cache of a program in the memory of a sequence
/// (Program.h), and its properties.
class CacheLayout {
public:
  /// `capacities` are the numbers of rows for each of the cache lengths; steps
  /// append to the length with index `stepLength`.
  CacheLayout(std::span<const Cache> caches,
              std::span<const int64_t> capacities, size_t stepLength);

  /// Bytes of all caches; nullopt if that is more than any memory has.
  static std::optional<int64_t> bytesOf(std::span<const Cache> caches,
                                        std::span<const int64_t> capacities);

  /// One cache; its members are contiguous.
  struct Place {
    /// In bytes, but for the number of members.
    int64_t offset, members, memberBytes, rowBytes;
    /// What a row belongs to: a position of the sequence, a row of the
    /// request's values, or the whole sequence; a state belongs to its last
    /// position.
    enum class Rows { Positions, Request, One, State } rows;
    int64_t window; // 0: all positions are read

    /// Where a row of a member begins, in bytes from the first cache.
    int64_t placeOf(int64_t member, int64_t row) const {
      return offset + member * memberBytes + row * rowBytes;
    }
    /// Bytes at the beginning of each member whose memory has been returned to
    /// the system, for a sequence that has once been `furthest` tokens long.
    int64_t givenBack(int64_t furthest) const;
    /// Whether the rows that a step reads are so few that copies of a
    /// sequence's states contain them (KeptStates.h): states, and rows before a
    /// step.
    bool isKept() const {
      return rows == Rows::State || (rows == Rows::Positions && window > 0 &&
                                     window <= mostKeptWindow);
    }
    static constexpr int64_t mostKeptWindow = 64;
  };
  /// Whether sequences have states of recurrences.
  bool hasStates() const;
  std::span<const Place> places() const { return all; }
  /// The same positions in the form that entries use.
  std::span<const transfold_place> placesInMemory() const { return inMemory; }
  int64_t bytes() const { return size; }
  /// Unit in which a sequence returns memory, at least a page. The system call
  /// takes some microseconds; for rows of 4 KiB there is one call for each
  /// member and 16 tokens.
  static int64_t pieceBytes();
  /// Whether a sequence that has once been `furthest` tokens long still holds
  /// all rows that steps from `length` on read. A state is that of the last
  /// position.
  bool holds(int64_t length, int64_t furthest) const;
  /// The same for the rows that copies of states do not contain.
  bool holdsOthers(int64_t length, int64_t furthest) const;

private:
  std::vector<Place> all;
  std::vector<transfold_place> inMemory;
  int64_t size = 0;
};

} // namespace transfold::runtime::inline steps
