// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of tokenizers in GGUF files, by tokenizer.ggml.model. Each function
// throws Error.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

namespace transfold::tokenizer {

/// "llama": the byte pairs of SentencePiece, with scores.
runtime::Description readScoredPairs(const checkpoint::GgufTokenizer &source,
                                     Storage &storage);
/// "gpt2", "gemma4": byte pairs with merges, mostly over bytes.
runtime::Description readBytePairs(const checkpoint::GgufTokenizer &source,
                                   Storage &storage);
/// "bert": WordPiece.
runtime::Description readWordPiece(const checkpoint::GgufTokenizer &source,
                                   Storage &storage);
/// "t5": the unigram model of SentencePiece.
runtime::Description readUnigram(const checkpoint::GgufTokenizer &source,
                                 Storage &storage);

} // namespace transfold::tokenizer
