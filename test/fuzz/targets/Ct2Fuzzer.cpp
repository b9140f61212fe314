// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input: any bytes as CTranslate2's model.bin: every tensor and every scale is
// within the file, and has as many elements as the shape says. The same bytes
// are also read as a vocabulary.

#include "compiler/checkpoint/ctranslate2/Ct2File.h"
#include "compiler/checkpoint/ctranslate2/Ct2Vocabulary.h"
#include "test/fuzz/targets/Tensors.h"

#include <cmath>

using namespace transfold;
using namespace transfold::checkpoint;

static void checkTensor(const StoredTensor &tensor, const MappedFile &file) {
  double last = fuzz::requireTensorOf(file, tensor);
  fuzz::require(tensor.scales.empty() || std::isfinite(last),
                "an integer with a scale is a number");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::textOf(data, size);
  fuzz::InputFile input(text);
  try {
    Ct2File file = Ct2File::open(input.path());
    for (const auto &[name, tensor] : file.tensors)
      checkTensor(tensor, *file.file);
  } catch (const CheckpointError &) {
  }
  try {
    (void)linesOfVocabulary(text, "vocabulary.txt");
  } catch (const CheckpointError &) {
  }
  return 0;
}
