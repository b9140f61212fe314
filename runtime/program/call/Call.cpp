// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out the arrays of a call as Program.h defines it, and runs the groups of
// sequences one after another. Sizes come from users; all products and sums of
// them are checked for overflow.

#include "runtime/program/call/Call.h"

#include <algorithm>

namespace transfold::runtime::inline program {

/// Limit of a group's arena: a share of the caches of a core and of the cache
/// that cores share, the same for all processors. Measured on Zen 5, an
/// encoder's 64 sequences of 103 tokens in float32, bfloat16 and int8 took
/// 11.0, 7.3 and 6.1 ms each as one group of 90 MiB, and 10.2, 5.8 and 4.0 ms
/// as eight groups.
constexpr int64_t bytesOfGroup = int64_t{8} << 20;
/// In elements of 4 bytes.
constexpr size_t alignment = 16;
constexpr int64_t elementBytes = 4;

Call::Call(Session &session, size_t entry)
    : session(session), index(entry),
      described(session.metadata().entries.at(entry)),
      offsets(described.lengths.size() + described.products.size()),
      arguments(described.arguments.size()), results(described.results.size()),
      offsetTables(offsets.size()), argumentPointers(arguments.size()),
      resultPointers(results.size()) {
  // Throws before any work if there are no kernels for this processor.
  session.program().variant();
}

std::span<const int64_t> Call::lengths(size_t sequence) const {
  size_t each = described.lengths.size();
  return std::span(currentLengths).subspan(sequence * each, each);
}

void Call::setSequences(std::span<const int64_t> lengths, size_t sequences) {
  count = sequences;
  currentLengths.assign(lengths.begin(), lengths.end());
  const size_t each = described.lengths.size();
  for (size_t sequence = 0; sequence < count; ++sequence) {
    deriveLengths(described,
                  std::span(currentLengths).subspan(sequence * each, each));
    checkLengths(described, this->lengths(sequence));
  }
  formGroups();
  for (size_t i = 0; i < arguments.size(); ++i)
    makeRoom(arguments[i], described.arguments[i].shape);
  for (size_t i = 0; i < results.size(); ++i)
    makeRoom(results[i], described.results[i].shape);
}

void Call::formGroups() {
  begins.assign(1, 0);
  groupOf.clear();
  for (std::vector<int64_t> &table : offsets)
    table.assign(1, 0);
  for (size_t sequence = 0; sequence < count; ++sequence) {
    if (sequence > begins.back() && !fitsIntoGroup(sequence)) {
      begins.push_back(sequence);
      for (std::vector<int64_t> &table : offsets)
        table.push_back(0);
    }
    groupOf.push_back(begins.size() - 1);
    for (size_t table = 0; table < offsets.size(); ++table) {
      int64_t end = 0;
      if (__builtin_add_overflow(offsets[table].back(), rows(table, sequence),
                                 &end))
        fail("an array of this size cannot be allocated");
      offsets[table].push_back(end);
    }
  }
}

/// Whether `sequence` can be added to the last group without exceeding
/// bytesOfGroup.
bool Call::fitsIntoGroup(size_t sequence) {
  if (described.stage != Stage::Whole)
    return true; // one run gets the memory of all sequences
  rowsOfGroup.resize(offsets.size());
  for (size_t table = 0; table < offsets.size(); ++table)
    if (__builtin_add_overflow(offsets[table].back(), rows(table, sequence),
                               &rowsOfGroup[table]))
      return false;
  return session.arenaBytes(index, sequence + 1 - begins.back(), rowsOfGroup) <=
         bytesOfGroup;
}

/// Index past the last sequence of a group.
size_t Call::end(size_t group) const {
  return group + 1 < begins.size() ? begins[group + 1] : count;
}

/// Number of rows of a sequence for a length or a product of lengths; `table`
/// counts the lengths first, then the products.
int64_t Call::rows(size_t table, size_t sequence) const {
  std::span<const int64_t> own = lengths(sequence);
  if (table < own.size())
    return own[table];
  int64_t product = 1;
  for (size_t length : described.products[table - own.size()])
    if (__builtin_mul_overflow(product, own[length], &product))
      fail("an array of this size cannot be allocated");
  return product;
}

/// Reserves memory for the values of all sequences, and sets where the values
/// of each group begin.
void Call::makeRoom(Array &array, const Shape &shape) const {
  array.groups.clear();
  int64_t numbers = 0, bytes = 0;
  auto add = [&](int64_t more) {
    if (__builtin_add_overflow(numbers, more, &numbers))
      fail("an array of this size cannot be allocated");
  };
  for (size_t group = 0; group < begins.size(); ++group) {
    add(static_cast<int64_t>(-static_cast<size_t>(numbers) % alignment));
    array.groups.push_back(static_cast<size_t>(numbers));
    for (size_t sequence = begins[group]; sequence < end(group); ++sequence)
      add(elements(shape, lengths(sequence)));
  }
  if (__builtin_mul_overflow(numbers, elementBytes, &bytes))
    fail("an array of this size cannot be allocated");
  array.buffer.reserve(bytes);
}

/// Index of a sequence's first element: after those of the earlier sequences in
/// its group.
size_t Call::first(const Array &array, const Shape &shape,
                   size_t sequence) const {
  const size_t group = groupOf[sequence];
  int64_t each = 1, before = static_cast<int64_t>(sequence - begins[group]);
  size_t lengthsOfShape = 0;
  for (const Axis &axis : shape) {
    if (axis.length < 0)
      each *= axis.size;
    else
      before = offsets[static_cast<size_t>(axis.length)][sequence + group];
    lengthsOfShape += axis.length >= 0;
  }
  // Values over pairs of positions have no common table of offsets.
  if (lengthsOfShape < 2)
    return array.groups[group] + static_cast<size_t>(each * before);
  before = 0;
  for (size_t other = begins[group]; other < sequence; ++other)
    before += elements(shape, lengths(other));
  return array.groups[group] + static_cast<size_t>(before);
}

/// Number of elements that one sequence has in an array of this shape.
size_t Call::size(const Shape &shape, size_t sequence) const {
  return static_cast<size_t>(elements(shape, lengths(sequence)));
}

std::span<int32_t> Call::integers(size_t argument, size_t sequence) {
  const Shape &shape = described.arguments[argument].shape;
  Array &array = arguments[argument];
  return {array.buffer.as<int32_t>() + first(array, shape, sequence),
          size(shape, sequence)};
}

std::span<float> Call::reals(size_t argument, size_t sequence) {
  const Shape &shape = described.arguments[argument].shape;
  Array &array = arguments[argument];
  return {array.buffer.as<float>() + first(array, shape, sequence),
          size(shape, sequence)};
}

void Call::fill(size_t argument, double otherwise) {
  double value = described.arguments[argument].defaultValue.value_or(otherwise);
  for (size_t sequence = 0; sequence < count; ++sequence) {
    if (described.arguments[argument].integer)
      std::ranges::fill(integers(argument, sequence),
                        static_cast<int32_t>(value));
    else
      std::ranges::fill(reals(argument, sequence), static_cast<float>(value));
  }
}

void Call::run(SequenceMemory memory) { run(memory, nullptr); }

void Call::runForLikeliest(SequenceMemory memory) {
  const Shape &shape = described.results[0].shape;
  const auto length = static_cast<size_t>(shape[0].length);
  places.assign(static_cast<size_t>(offsets[length].back()), -1);
  run(memory, places.data());
}

std::span<const int32_t> Call::argmax(size_t sequence) const {
  const auto length = static_cast<size_t>(described.results[0].shape[0].length);
  const std::vector<int64_t> &table = offsets[length];
  return std::span(places).subspan(
      static_cast<size_t>(table[sequence]),
      static_cast<size_t>(table[sequence + 1] - table[sequence]));
}

void Call::run(SequenceMemory memory, int32_t *argmax) {
  for (size_t group = 0; group < begins.size(); ++group) {
    for (size_t table = 0; table < offsets.size(); ++table)
      // Each earlier group has one offset more than it has sequences.
      offsetTables[table] = &offsets[table][begins[group] + group];
    for (size_t i = 0; i < arguments.size(); ++i)
      argumentPointers[i] =
          arguments[i].buffer.as<float>() + arguments[i].groups[group];
    for (size_t i = 0; i < results.size(); ++i)
      resultPointers[i] =
          results[i].buffer.as<float>() + results[i].groups[group];
    session.run(index, end(group) - begins[group], offsetTables,
                argumentPointers, resultPointers, memory, argmax);
  }
}

std::span<const float> Call::result(size_t index, size_t sequence) const {
  return room(index, sequence);
}

std::span<float> Call::room(size_t index, size_t sequence) const {
  const Shape &shape = described.results[index].shape;
  const Array &array = results[index];
  return {array.buffer.as<float>() + first(array, shape, sequence),
          size(shape, sequence)};
}

} // namespace transfold::runtime::inline program
