// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as an .npy file: every element can be read, as an integer
// and as a real.

#include "base/Error.h"
#include "base/files/arrays/Npy.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  try {
    NpyArray array(input.path());
    fuzz::require(array.elements() >= 0 &&
                      static_cast<uint64_t>(array.elements()) <= size,
                  "the elements lie in the file");
    for (int64_t i = 0; i < array.elements(); ++i) {
      (void)array.real(i);
      if (array.isInteger())
        (void)array.integer(i);
    }
  } catch (const Error &) {
  }
  return 0;
}
