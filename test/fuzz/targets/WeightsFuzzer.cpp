// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as an executable with weights at its end. The program
// requires 8 bytes of weights.

#include "base/Error.h"
#include "runtime/weights/WeightsFile.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  try {
    runtime::WeightsFile weights(input.path(), 8, "0123456789abcdef");
    fuzz::require(weights.payload() && size >= 4096 + 8,
                  "the weights lie in the file");
    (void)std::string(reinterpret_cast<const char *>(weights.payload()), 8);
    weights.check();
  } catch (const Error &) {
  }
  return 0;
}
