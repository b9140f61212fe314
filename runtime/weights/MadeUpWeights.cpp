// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated weights, to measure a program whose weights are not available. It
// is unknown here which bytes are float32, bfloat16, float16 or codes of 4 and
// 8 bits with their scales. Therefore each byte is one of 0x38, …, 0x3b, with
// any sign: a float32 or bfloat16 that begins with such a byte lies between
// 2^-15 and 2^-7 in magnitude, a float16 between 1/2 and 1. None is denormal,
// infinite or NaN, at any offset. Signs vary, so that sums do not grow with the
// number of terms; and bits vary, since processors with a power limit multiply
// zeros faster.

#include "base/Error.h"
#include "runtime/weights/WeightsFile.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace transfold::runtime::inline weights {

WeightsFile WeightsFile::madeUp(uint64_t payloadBytes) {
  WeightsFile weights;
  if (payloadBytes == 0)
    return weights;
  // Rounded up to whole words; pages are larger anyway.
  const uint64_t words = (payloadBytes + 7) / sizeof(uint64_t);
  void *memory =
      ::mmap(nullptr, words * sizeof(uint64_t), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("cannot allocate {} MiB for made-up weights: {}", payloadBytes >> 20,
         std::strerror(errno));
  auto *numbers = static_cast<uint64_t *>(memory);
  weights.mapping = FileMapping(std::span(static_cast<const uint8_t *>(memory),
                                          words * sizeof(uint64_t)));
  uint64_t state = 0x9e3779b97f4a7c15; // xorshift: Marsaglia 2003
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

} // namespace transfold::runtime::inline weights
