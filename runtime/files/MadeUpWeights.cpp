// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers to measure a program with whose weights are elsewhere. Nobody tells
// here which bytes are float32, bfloat16, float16 or codes of 4 and 8 bits with
// their scales. So each byte is one of 0x38, …, 0x3b, with any sign: a float32
// or bfloat16 that begins so lies between 2^-15 and 2^-7, a float16 between 1/2
// and 1. None is denormal, infinite or no number, wherever it begins. Signs
// differ, so that sums do not grow as their number does; and bits differ, since
// processors that limit their power multiply zeros faster.

#include "runtime/Error.h"
#include "runtime/files/WeightsFile.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace transfold::runtime {

WeightsFile WeightsFile::madeUp(uint64_t payloadBytes) {
  WeightsFile weights;
  if (payloadBytes == 0)
    return weights;
  // Whole words; pages are larger anyway.
  const uint64_t words = (payloadBytes + 7) / sizeof(uint64_t);
  void *memory =
      ::mmap(nullptr, words * sizeof(uint64_t), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("{} MiB for weights that are made up cannot be had: {}",
         payloadBytes >> 20, std::strerror(errno));
  auto *numbers = static_cast<uint64_t *>(memory);
  weights.mapping = FileMapping(std::span(static_cast<const uint8_t *>(memory),
                                          words * sizeof(uint64_t)));
  uint64_t state = 0x9e3779b97f4a7c15; // of xorshift: Marsaglia 2003
  for (uint64_t i = 0; i < words; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    numbers[i] = (state & 0x8383838383838383) | 0x3838383838383838;
  }
  weights.start = weights.mapping.bytes().data();
  weights.size = payloadBytes;
  return weights;
}

} // namespace transfold::runtime
