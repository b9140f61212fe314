// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuts texts into pieces: a unigram model or byte pairs.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_SENTENCEPIECE_PIECEMODEL_H
#define TRANSFOLD_COMPILER_TOKENIZER_SENTENCEPIECE_PIECEMODEL_H

#include "compiler/checkpoint/SentencePieceModel.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <functional>
#include <variant>

namespace transfold::tokenizer {

struct PieceModel {
  runtime::Vocabulary pieces; // those that a text can be cut into
  std::variant<runtime::Unigram, runtime::ScoredPairs> model;
};

/// Whether texts are cut into a piece: not into control pieces and bytes.
bool isWord(const checkpoint::SentencePieceModel &model, size_t number);

/// Each piece is known by what `numberOf` makes of its number: at most
/// `last`. Throws runtime::Error.
PieceModel pieceModelOf(const checkpoint::SentencePieceModel &source,
                        const std::function<int32_t(size_t)> &numberOf,
                        int32_t last, Storage &storage);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_SENTENCEPIECE_PIECEMODEL_H
