// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a GGUF file: every tensor lies in the file and has as many bytes
// as its shape says; and what the metadata says of the tokenizer can be read.

#include "compiler/checkpoint/GgufFile.h"
#include "compiler/checkpoint/GgufTokenizer.h"
#include "test/fuzz/Input.h"

using namespace transfold;
using namespace transfold::checkpoint;

static void checkTensor(const StoredTensor &tensor, const MappedFile &file) {
  int64_t elements = 1;
  for (int64_t extent : tensor.shape)
    elements *= extent;
  fuzz::require(tensor.count() == elements, "as many bytes as the shape says");
  fuzz::require(&tensor.bytes.front() >= &file.bytes().front() &&
                    &tensor.bytes.back() <= &file.bytes().back(),
                "the tensor lies in the file");
  (void)tensor.element(0);
  (void)tensor.element(elements - 1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::InputFile input(fuzz::textOf(data, size));
  try {
    GgufFile file = GgufFile::open(input.path());
    for (const auto &[name, tensor] : file.tensors)
      checkTensor(tensor, *file.file);
    (void)tokenizerOf(file);
  } catch (const CheckpointError &) {
  }
  return 0;
}
