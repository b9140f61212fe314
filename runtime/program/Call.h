// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry with memory for its arguments and results, used call after call. One
// call runs any number of sequences: their rows lie behind each other.

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
  /// Memory of an argument, in the order of Program.h: of one sequence.
  std::span<int32_t> integers(size_t argument, size_t sequence = 0);
  std::span<float> reals(size_t argument, size_t sequence = 0);
  /// Fills an argument with its default, or with `otherwise` without one.
  void fill(size_t argument, double otherwise = 0);
  /// Of an entry that goes on with sequences, with the memory of each.
  void run(const SequenceMemory &memory = {});
  /// A result of the last run: of one sequence.
  std::span<const float> result(size_t index, size_t sequence = 0) const;
  /// Where a result of one sequence goes.
  std::span<float> room(size_t index, size_t sequence) const;

private:
  Session &session;
  size_t index;
  const Entry &described;
  size_t count = 0;                          // sequences
  std::vector<int64_t> currentLengths;       // of each sequence in turn
  std::vector<std::vector<int64_t>> offsets; // Program.h
  std::vector<const int64_t *> offsetTables;
  std::vector<AlignedBuffer> arguments, results;
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;

  int64_t rows(size_t table, size_t sequence) const;
  size_t first(const Shape &shape, size_t sequence) const;
  size_t size(const Shape &shape, size_t sequence) const;
  void *room(AlignedBuffer &buffer, const Shape &shape);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_CALL_H
