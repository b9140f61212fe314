// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as a GGUF file: every tensor is within the file and has as
// many bytes as its shape says; and the tokenizer in the metadata can be read.

#include "compiler/checkpoint/gguf/GgufFile.h"
#include "compiler/checkpoint/gguf/GgufTokenizer.h"
#include "test/fuzz/targets/Tensors.h"

using namespace transfold;
using namespace transfold::checkpoint;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  try {
    GgufFile file = GgufFile::open(input.path());
    for (const auto &[name, tensor] : file.tensors)
      fuzz::requireTensorOf(*file.file, tensor);
    for (const auto &[key, value] : file.metadata)
      if (const auto *list = std::get_if<GgufArray>(&value)) {
        uint64_t count = 0;
        list->forEach([&](const GgufScalar &) { ++count; });
        fuzz::require(count == list->size(), "lists have values to their end");
      }
    (void)tokenizerOf(file);
  } catch (const CheckpointError &) {
  }
  return 0;
}
