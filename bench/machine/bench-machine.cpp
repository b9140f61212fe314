// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the limits of this machine, for comparison with programs:
// multiply-adds on registers and reading from memory, on all threads at once.
//
//   bench-machine 2    {"threads": 2, "gflops": 231.2, "bf16_gflops": 231.2,
//   "int8_gops": 640.1, "gigabytes_per_second": 25.5}

#include "runtime/commands/bench/MachineLimits.h"

#include <fmt/format.h>

#include <cstdlib>

using namespace transfold;
using namespace transfold::runtime;

int main(int argc, char **argv) {
  int asked = argc > 1 ? std::atoi(argv[1]) : 1;
  if (asked < 1 || asked > 1024) {
    fmt::print(stderr, "bench-machine: error: 1 to 1024 threads\n");
    return 1;
  }
  MachineLimits limits = MachineLimits::measure(static_cast<unsigned>(asked));
  fmt::print("{{\"threads\": {}, \"gflops\": {:.1f}, \"bf16_gflops\": {:.1f}, "
             "\"int8_gops\": {:.1f}, \"gigabytes_per_second\": {:.1f}}}\n",
             asked, limits.operations[Products::Float32] * 1e-9,
             limits.operations[Products::Bfloat16] * 1e-9,
             limits.operations[Products::Int8] * 1e-9, limits.bytesRead * 1e-9);
}
