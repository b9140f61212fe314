// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, to measure programs against: multiply-adds
// on registers and reading from memory, on all threads at once.
//
//   bench-machine 2    {"threads": 2, "gflops": 231.2,
//   "gigabytes_per_second": 25.5}

#include "bench/machine/Peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

using namespace transfold;

/// The sum of what each thread reaches while all run.
static double together(size_t threads,
                       const std::function<double(size_t thread)> &measure) {
  std::vector<double> reached(threads);
  {
    std::vector<std::jthread> running;
    for (size_t thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] { reached[thread] = measure(thread); });
  }
  double sum = 0;
  for (double one : reached)
    sum += one;
  return sum;
}

/// Gigabytes a second, the best of several readings of all of `memory`: others
/// can only take away.
static double measureReading(const std::vector<uint64_t> &memory) {
  double best = 0;
  for (int attempt = 0; attempt < 7; ++attempt) {
    double start = bench::now();
    uint64_t sum = 0; // integers, which the compiler may add in any order
    for (uint64_t word : memory)
      sum += word;
    volatile uint64_t keep = sum;
    (void)keep;
    best =
        std::max(best, static_cast<double>(memory.size() * sizeof(uint64_t)) /
                           (bench::now() - start) * 1e-9);
  }
  return best;
}

int main(int argc, char **argv) {
  int asked = argc > 1 ? std::atoi(argv[1]) : 1;
  if (asked < 1 || asked > 1024) {
    fmt::print(stderr, "bench-machine: error: 1 to 1024 threads\n");
    return 1;
  }
  size_t threads = static_cast<size_t>(asked);
  double flops = together(threads, [](size_t) { return bench::measurePeak(); });
  // Far more than the last-level cache holds.
  constexpr size_t words = size_t{64} << 20;
  std::vector<std::vector<uint64_t>> memory(
      threads, std::vector<uint64_t>(words / threads, 1));
  double read = together(
      threads, [&](size_t thread) { return measureReading(memory[thread]); });
  fmt::print("{{\"threads\": {}, \"gflops\": {:.1f}, "
             "\"gigabytes_per_second\": {:.1f}}}\n",
             threads, flops, read);
}
