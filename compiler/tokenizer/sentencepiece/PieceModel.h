// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model that splits texts into pieces: a unigram model or byte pairs.

#pragma once

#include "compiler/checkpoint/sentencepiece/SentencePieceModel.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <functional>
#include <variant>

namespace transfold::tokenizer {

/// The pieces of a model, and how texts are split into them.
struct PieceModel {
  runtime::Vocabulary pieces; // those that a text can be cut into
  std::variant<runtime::Unigram, runtime::ScoredPairs> model;
};

/// Whether texts are split into a piece; false for control pieces and bytes.
bool isWord(const checkpoint::SentencePieceModel &model, size_t number);

/// Builds the model. The piece at position i has the id `numberOf(i)`, which is
/// at most `last`. Throws Error.
PieceModel pieceModelOf(const checkpoint::SentencePieceModel &source,
                        const std::function<int32_t(size_t)> &numberOf,
                        int32_t last, Storage &storage);

} // namespace transfold::tokenizer
