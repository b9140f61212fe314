// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader that compares each byte with each other: costs.test checks that this
// is detected.

#include <cstddef>
#include <cstdint>

static volatile size_t equalPairs;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k < i; ++k)
      if (data[i] == data[k])
        equalPairs = equalPairs + 1;
  return 0;
}
