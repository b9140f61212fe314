// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces that a model of SentencePiece makes, with the ids of another
// vocabulary, which knows them by their texts.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODELS_NAMEDPIECES_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODELS_NAMEDPIECES_H

#include "runtime/tokenizer/models/ScoredPairs.h"
#include "runtime/tokenizer/models/Unigram.h"

#include <span>
#include <tuple>
#include <variant>

namespace transfold::runtime {

struct NamedPieces {
  Vocabulary pieces; // by their own numbers
  std::variant<Unigram, ScoredPairs> model;
  std::span<const int32_t> ids; // of each number
  int32_t unknownPiece = 0;     // a number

  static auto fields(auto &self) {
    return std::tie(self.pieces, self.model, self.ids, self.unknownPiece);
  }
  void check() const;

  /// Appends the tokens of one word, which is not empty. What is no piece may
  /// still be one of `words`.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODELS_NAMEDPIECES_H
