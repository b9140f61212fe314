// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry with memory for its arguments and results, which is reused from call
// to call. One call runs any number of sequences. An entry over whole sequences
// processes them in groups, one after the other, so that the values that its
// kernels pass to each other stay in the caches; the rows of a group are
// contiguous. A sequence's results do not depend on its group.

#pragma once

#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/program/call/Session.h"

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// Calls of one entry in one session; for use by one thread.
class Call {
public:
  Call(Session &session, size_t entry);

  const Entry &entry() const { return described; }
  /// The thread pool on which the kernels run.
  ThreadPool &pool() const { return session.pool(); }
  /// Number of sequences of the next run.
  size_t sequences() const { return count; }
  /// The lengths of one sequence.
  std::span<const int64_t> lengths(size_t sequence = 0) const;

  /// Sets the lengths of the next run, those of each sequence in turn, and
  /// reserves memory; arguments must be filled afterwards. Lengths that follow
  /// from others are computed, whatever is given for them. Throws Error if a
  /// length is out of its limits.
  void setSequences(std::span<const int64_t> lengths, size_t sequences);
  /// The same for one sequence.
  void setLengths(std::span<const int64_t> lengths) {
    setSequences(lengths, 1);
  }
  /// Number of groups in which the next run processes the sequences.
  size_t groups() const { return begins.size(); }
  /// Memory of an argument (numbered in the order of the metadata) of one
  /// sequence; integers() for int32 arguments, reals() for float arguments.
  std::span<int32_t> integers(size_t argument, size_t sequence = 0);
  std::span<float> reals(size_t argument, size_t sequence = 0);
  /// Fills an argument of all sequences with its default value, or with
  /// `otherwise` if it has none.
  void fill(size_t argument, double otherwise = 0);
  /// Runs the entry. An entry that continues sequences needs the memory of each
  /// (caches); for others `memory` is empty.
  void run(SequenceMemory memory = {});
  /// Like run(), on a device, for a step whose first result is rows of
  /// elements: the index of the largest element of each row (argmax) is
  /// returned instead of the result.
  void runForLikeliest(SequenceMemory memory);
  /// The indices that runForLikeliest() found for the rows of a sequence; of
  /// equal elements the first. An index is -1 if the row has NaN or infinity or
  /// is all -∞; in that case result() has all rows.
  std::span<const int32_t> argmax(size_t sequence) const;
  /// A result of the last run, of one sequence.
  std::span<const float> result(size_t index, size_t sequence = 0) const;
  /// Memory to which a result of one sequence is written.
  std::span<float> room(size_t index, size_t sequence) const;

private:
  Session &session;
  size_t index;
  const Entry &described;
  size_t count = 0;                    // number of sequences
  std::vector<int64_t> currentLengths; // of each sequence in turn
  /// The first sequence of each group, and the group of each sequence.
  std::vector<size_t> begins, groupOf;
  /// For each length or product, the offset tables of all groups (Program.h),
  /// one after the other: each has one element more than its group has
  /// sequences.
  std::vector<std::vector<int64_t>> offsets;
  std::vector<int64_t> rowsOfGroup; // of the last group with one sequence more
  /// The values of an argument or of a result. Those of group k begin at
  /// element groups[k], at a multiple of `alignment`.
  struct Array {
    AlignedBuffer buffer;
    std::vector<size_t> groups;
  };
  std::vector<Array> arguments, results;
  // Pointers for the group that runs.
  std::vector<const int64_t *> offsetTables;
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;
  std::vector<int32_t> places; // argmax of each row, of all sequences

  /// Runs all groups; `argmax` is null, or has room for the rows of all
  /// sequences.
  void run(SequenceMemory memory, int32_t *argmax);

  /// Divides the sequences into groups, and fills `offsets`.
  void formGroups();
  bool fitsIntoGroup(size_t sequence);
  size_t end(size_t group) const;
  int64_t rows(size_t table, size_t sequence) const;
  /// Index, in elements, where a sequence begins in an array, and its number of
  /// elements.
  size_t first(const Array &array, const Shape &shape, size_t sequence) const;
  size_t size(const Shape &shape, size_t sequence) const;
  void makeRoom(Array &array, const Shape &shape) const;
};

} // namespace transfold::runtime::inline program
