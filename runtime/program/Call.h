// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry with memory for its arguments and results, used call after call. One
// call runs any number of sequences. An entry over whole sequences takes them
// in groups, one after the other, so that what its kernels hand to each other
// stays in the caches; the rows of a group lie behind each other. A sequence's
// results do not depend on its group.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_CALL_H
#define TRANSFOLD_RUNTIME_PROGRAM_CALL_H

#include "runtime/kernels/AlignedBuffer.h"
#include "runtime/program/Session.h"

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime {

class Call {
public:
  Call(Session &session, size_t entry);

  const Entry &entry() const { return described; }
  /// The threads that its kernels run on.
  ThreadPool &pool() const { return session.pool(); }
  size_t sequences() const { return count; }
  /// The lengths of a sequence.
  std::span<const int64_t> lengths(size_t sequence = 0) const;

  /// Sets the lengths of the next run, those of each sequence in turn, and
  /// makes room; arguments must then be filled. Throws Error where a length is
  /// out of its limits.
  void setSequences(std::span<const int64_t> lengths, size_t sequences);
  /// The same for one sequence.
  void setLengths(std::span<const int64_t> lengths) {
    setSequences(lengths, 1);
  }
  /// How many groups the next run takes the sequences in.
  size_t groups() const { return begins.size(); }
  /// Memory of an argument, in the order of Program.h: of one sequence.
  std::span<int32_t> integers(size_t argument, size_t sequence = 0);
  std::span<float> reals(size_t argument, size_t sequence = 0);
  /// Fills an argument with its default, or with `otherwise` without one.
  void fill(size_t argument, double otherwise = 0);
  /// Of an entry that goes on with sequences, with the memory of each.
  void run(SequenceMemory memory = {});
  /// The same on a device, of a step whose first result is rows of numbers:
  /// instead of that comes the place of the largest in each row.
  void runForLikeliest(SequenceMemory memory);
  /// What that found in the rows of a sequence: of equal numbers the first; -1
  /// where they have no order, and then result() has all rows.
  std::span<const int32_t> likeliest(size_t sequence) const;
  /// A result of the last run: of one sequence.
  std::span<const float> result(size_t index, size_t sequence = 0) const;
  /// Where a result of one sequence goes.
  std::span<float> room(size_t index, size_t sequence) const;

private:
  Session &session;
  size_t index;
  const Entry &described;
  size_t count = 0;                    // sequences
  std::vector<int64_t> currentLengths; // of each sequence in turn
  /// The first sequence of each group, and the group of each sequence.
  std::vector<size_t> begins, groupOf;
  /// For each length or product, the tables of all groups (Program.h) behind
  /// each other: one number more than the group has sequences.
  std::vector<std::vector<int64_t>> offsets;
  std::vector<int64_t> rowsOfGroup; // if it had one sequence more
  /// The values of an argument or of a result; those of a group begin at
  /// `groups`, in elements, at a multiple of an alignment.
  struct Array {
    AlignedBuffer buffer;
    std::vector<size_t> groups;
  };
  std::vector<Array> arguments, results;
  // Of the group that runs.
  std::vector<const int64_t *> offsetTables;
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;
  std::vector<int32_t> places; // of the largest numbers, of all sequences

  void run(SequenceMemory memory, int32_t *likeliest);

  void formGroups();
  bool fitsIntoGroup(size_t sequence);
  size_t end(size_t group) const;
  int64_t rows(size_t table, size_t sequence) const;
  size_t first(const Array &array, const Shape &shape, size_t sequence) const;
  size_t size(const Shape &shape, size_t sequence) const;
  void makeRoom(Array &array, const Shape &shape) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_CALL_H
