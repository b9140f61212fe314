// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Call.h"

#include <algorithm>

namespace transfold::runtime {

Call::Call(Session &session, size_t entry)
    : session(session), index(entry),
      described(session.metadata().entries.at(entry)),
      offsets(described.lengths.size() + described.products.size()),
      offsetTables(offsets.size()), arguments(described.arguments.size()),
      results(described.results.size()), argumentPointers(arguments.size()),
      resultPointers(results.size()) {
  // A processor that no kernels are for is said before any work.
  session.program().variant();
}

std::span<const int64_t> Call::lengths(size_t sequence) const {
  size_t each = described.lengths.size();
  return std::span(currentLengths).subspan(sequence * each, each);
}

void Call::setSequences(std::span<const int64_t> lengths, size_t sequences) {
  count = sequences;
  currentLengths.assign(lengths.begin(), lengths.end());
  for (size_t length = 0; length < offsets.size(); ++length)
    offsets[length].assign(1, 0);
  for (size_t sequence = 0; sequence < count; ++sequence) {
    checkLengths(described, this->lengths(sequence));
    for (size_t table = 0; table < offsets.size(); ++table) {
      int64_t end = 0;
      if (__builtin_add_overflow(offsets[table].back(), rows(table, sequence),
                                 &end))
        fail("an array of this size cannot be made");
      offsets[table].push_back(end);
    }
  }
  for (size_t length = 0; length < offsets.size(); ++length)
    offsetTables[length] = offsets[length].data();
  for (size_t i = 0; i < arguments.size(); ++i)
    argumentPointers[i] = room(arguments[i], described.arguments[i].shape);
  for (size_t i = 0; i < results.size(); ++i)
    resultPointers[i] = room(results[i], described.results[i].shape);
}

/// Of a length or of a product of lengths: how many rows a sequence has.
int64_t Call::rows(size_t table, size_t sequence) const {
  std::span<const int64_t> own = lengths(sequence);
  if (table < own.size())
    return own[table];
  int64_t product = 1;
  for (size_t length : described.products[table - own.size()])
    if (__builtin_mul_overflow(product, own[length], &product))
      fail("an array of this size cannot be made");
  return product;
}

/// Room for the values of all sequences.
void *Call::room(AlignedBuffer &buffer, const Shape &shape) {
  constexpr int64_t elementBytes = 4;
  int64_t bytes = 0;
  for (size_t sequence = 0; sequence < count; ++sequence)
    if (__builtin_add_overflow(bytes, elements(shape, lengths(sequence)),
                               &bytes))
      fail("an array of this size cannot be made");
  if (__builtin_mul_overflow(bytes, elementBytes, &bytes))
    fail("an array of this size cannot be made");
  return buffer.reserve(bytes);
}

/// Where a sequence's values begin: behind those of the sequences before.
size_t Call::first(const Shape &shape, size_t sequence) const {
  int64_t each = 1, before = static_cast<int64_t>(sequence);
  size_t lengthsOfShape = 0;
  for (const Axis &axis : shape) {
    if (axis.length < 0)
      each *= axis.size;
    else
      before = offsets[static_cast<size_t>(axis.length)][sequence];
    lengthsOfShape += axis.length >= 0;
  }
  if (lengthsOfShape < 2)
    return static_cast<size_t>(each * before);
  before = 0;
  for (size_t other = 0; other < sequence; ++other)
    before += elements(shape, lengths(other));
  return static_cast<size_t>(before);
}

size_t Call::size(const Shape &shape, size_t sequence) const {
  return static_cast<size_t>(elements(shape, lengths(sequence)));
}

std::span<int32_t> Call::integers(size_t argument, size_t sequence) {
  const Shape &shape = described.arguments[argument].shape;
  return {arguments[argument].as<int32_t>() + first(shape, sequence),
          size(shape, sequence)};
}

std::span<float> Call::reals(size_t argument, size_t sequence) {
  const Shape &shape = described.arguments[argument].shape;
  return {arguments[argument].as<float>() + first(shape, sequence),
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

void Call::run(const SequenceMemory &memory) {
  session.run(index, count, offsetTables, argumentPointers, resultPointers,
              memory);
}

std::span<const float> Call::result(size_t index, size_t sequence) const {
  return room(index, sequence);
}

std::span<float> Call::room(size_t index, size_t sequence) const {
  const Shape &shape = described.results[index].shape;
  return {results[index].as<float>() + first(shape, sequence),
          size(shape, sequence)};
}

} // namespace transfold::runtime
