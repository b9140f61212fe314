// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as a safetensors file: every tensor is within the file and
// has as many bytes as its shape says.

#include "compiler/checkpoint/huggingface/Safetensors.h"
#include "test/fuzz/targets/Input.h"

using namespace transfold;
using namespace transfold::checkpoint;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  try {
    auto file = MappedFile::open(input.path());
    for (const auto &[name, tensor] : readSafetensors(*file)) {
      int64_t elements = 1;
      for (int64_t extent : tensor.shape)
        elements *= extent;
      fuzz::require(tensor.bytes.size() == static_cast<uint64_t>(elements) *
                                               tensor.format().blockBytes,
                    "as many bytes as the shape says");
      if (elements == 0)
        continue;
      fuzz::require(&tensor.bytes.front() >= &file->bytes().front() &&
                        &tensor.bytes.back() <= &file->bytes().back(),
                    "the tensor lies in the file");
      (void)tensor.element(0);
      (void)tensor.element(elements - 1);
    }
  } catch (const CheckpointError &) {
  }
  return 0;
}
