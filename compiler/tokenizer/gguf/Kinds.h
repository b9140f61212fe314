// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of tokenizers that GGUF files have, tokenizer.ggml.model. Each
// throws runtime::Error.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_GGUF_KINDS_H
#define TRANSFOLD_COMPILER_TOKENIZER_GGUF_KINDS_H

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

namespace transfold::tokenizer {

/// SentencePiece's byte pairs: "llama".
runtime::Description readScoredPairs(const checkpoint::GgufTokenizer &source,
                                     Storage &storage);
/// Byte pairs with merges, mostly over bytes: "gpt2", "gemma4".
runtime::Description readBytePairs(const checkpoint::GgufTokenizer &source,
                                   Storage &storage);
/// "bert".
runtime::Description readWordPiece(const checkpoint::GgufTokenizer &source,
                                   Storage &storage);
/// SentencePiece's unigram model: "t5".
runtime::Description readUnigram(const checkpoint::GgufTokenizer &source,
                                 Storage &storage);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_GGUF_KINDS_H
