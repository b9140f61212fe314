// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what all threads reach together, since cores share power and memory:
// one core alone is faster than each of many.

#include "runtime/commands/bench/MachineLimits.h"

#include "base/Error.h"
#include "runtime/commands/bench/Peak.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>

namespace transfold::runtime::inline commands {

namespace {

/// The sum of the values measured on all threads at the same time.
double together(unsigned threads,
                const std::function<double(unsigned thread)> &measure) {
  std::vector<double> reached(threads);
  {
    std::vector<std::jthread> running;
    for (unsigned thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] { reached[thread] = measure(thread); });
  }
  double sum = 0;
  for (double one : reached)
    sum += one;
  return sum;
}

/// Bytes per second, the best of several readings of all of `memory`: other
/// processes can only reduce it.
double measureReading(const std::vector<uint64_t> &memory) {
  double best = 0;
  for (int attempt = 0; attempt < 7; ++attempt) {
    double start = now();
    uint64_t sum = 0; // integers, which the compiler may add in any order
    for (uint64_t word : memory)
      sum += word;
    volatile uint64_t keep = sum;
    (void)keep;
    best = std::max(best, static_cast<double>(memory.size() * sizeof sum) /
                              (now() - start));
  }
  return best;
}

} // namespace

MachineLimits MachineLimits::measure(unsigned threads) {
  MachineLimits limits;
  for (Products products :
       {Products::Float32, Products::Bfloat16, Products::Int8})
    limits.operations[products] =
        together(threads, [&](unsigned) { return measurePeak(products); });
  // Much more than the last-level cache holds.
  constexpr size_t words = size_t{64} << 20;
  std::vector<std::vector<uint64_t>> memory(
      threads, std::vector<uint64_t>(words / threads, 1));
  limits.bytesRead = together(
      threads, [&](unsigned thread) { return measureReading(memory[thread]); });
  return limits;
}

MachineLimits MachineLimits::parse(const std::string &text) {
  double operations = 0, bytes = 0, ofPairs = 0;
  int end = 0, last = 0;
  // NOLINTNEXTLINE(cert-err34-c): what is not a number is refused below
  int read = std::sscanf(text.c_str(), "%lf,%lf%n,%lf%n", &operations, &bytes,
                         &end, &ofPairs, &last);
  if (read == 2)
    ofPairs = operations;
  if (read < 2 || static_cast<size_t>(std::max(end, last)) != text.size() ||
      !(operations > 0) || !(bytes > 0) || !(ofPairs > 0))
    fail("--limits takes 10⁹ operations and 10⁹ bytes a second, such as "
         "99,14.5, and the operations in bfloat16 if they differ, not '{}'",
         text);
  MachineLimits limits;
  for (Products products :
       {Products::Float32, Products::Bfloat16, Products::Int8})
    limits.operations[products] =
        (products == Products::Bfloat16 ? ofPairs : operations) * 1e9;
  limits.bytesRead = bytes * 1e9;
  return limits;
}

const char *nameOf(Products products) {
  return products == Products::Int8       ? "int8"
         : products == Products::Bfloat16 ? "bfloat16"
                                          : "float32";
}

} // namespace transfold::runtime::inline commands
