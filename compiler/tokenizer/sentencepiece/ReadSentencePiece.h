// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizers of SentencePiece models.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

namespace transfold::tokenizer {

/// The tokenizer of a SentencePiece model, by the rules of SentencePiece
/// itself, with views of the storage. Throws Error.
runtime::Description
readSentencePiece(const checkpoint::SentencePieceTokenizer &source,
                  Storage &storage);

} // namespace transfold::tokenizer
