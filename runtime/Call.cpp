// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Call.h"

#include <algorithm>

namespace transfold::runtime {

namespace {

/// Of an int32_t and of a float.
constexpr int64_t elementBytes = 4;

int64_t bytes(const Shape &shape, std::span<const int64_t> lengths) {
  int64_t count = elements(shape, lengths), bytes;
  if (__builtin_mul_overflow(count, elementBytes, &bytes))
    fail("an array of this size cannot be made");
  return bytes;
}

} // namespace

Call::Call(Session &session, size_t entry)
    : session(session), index(entry),
      described(session.metadata().entries.at(entry)),
      arguments(described.arguments.size()), results(described.results.size()),
      argumentPointers(arguments.size()), resultPointers(results.size()) {}

void Call::setLengths(std::span<const int64_t> lengths) {
  checkLengths(described, lengths);
  currentLengths.assign(lengths.begin(), lengths.end());
  for (size_t i = 0; i < arguments.size(); ++i)
    argumentPointers[i] = arguments[i].reserve(
        bytes(described.arguments[i].shape, currentLengths));
  for (size_t i = 0; i < results.size(); ++i)
    resultPointers[i] =
        results[i].reserve(bytes(described.results[i].shape, currentLengths));
}

std::span<int32_t> Call::integers(size_t argument) {
  return {arguments[argument].as<int32_t>(),
          static_cast<size_t>(
              elements(described.arguments[argument].shape, currentLengths))};
}

std::span<float> Call::reals(size_t argument) {
  return {arguments[argument].as<float>(),
          static_cast<size_t>(
              elements(described.arguments[argument].shape, currentLengths))};
}

void Call::fill(size_t argument, double otherwise) {
  double value = described.arguments[argument].defaultValue.value_or(otherwise);
  if (described.arguments[argument].integer)
    std::ranges::fill(integers(argument), static_cast<int32_t>(value));
  else
    std::ranges::fill(reals(argument), static_cast<float>(value));
}

void Call::run() {
  session.run(index, currentLengths, argumentPointers, resultPointers);
}

std::span<const float> Call::result(size_t index) const {
  return {results[index].as<float>(),
          static_cast<size_t>(
              elements(described.results[index].shape, currentLengths))};
}

} // namespace transfold::runtime
