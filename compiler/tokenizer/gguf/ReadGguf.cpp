// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the reader of a kind.

#include "compiler/tokenizer/gguf/ReadGguf.h"

#include "base/Error.h"
#include "compiler/tokenizer/gguf/Kinds.h"

namespace transfold::tokenizer {

using checkpoint::GgufTokenizer;

runtime::Description readGgufTokenizer(const GgufTokenizer &source,
                                       Storage &storage) {
  if (source.model == "llama")
    return readScoredPairs(source, storage);
  if (source.model == "gpt2" || source.model == "gemma4")
    return readBytePairs(source, storage);
  if (source.model == "bert")
    return readWordPiece(source, storage);
  if (source.model == "t5")
    return readUnigram(source, storage);
  fail("the tokenizer '{}' (tokenizer.ggml.model) is not supported (known: "
       "bert, gemma4, gpt2, llama, t5); use the model's tokenizer.json, or "
       "`eval`, which takes ids instead of text",
       source.model);
}

} // namespace transfold::tokenizer
