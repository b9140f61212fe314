// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces of a SentencePiece model, with the ids of another vocabulary, in
// which they are looked up by their texts.

#pragma once

#include "runtime/tokenizer/models/ScoredPairs.h"
#include "runtime/tokenizer/models/Unigram.h"

#include <span>
#include <tuple>
#include <variant>

namespace transfold::runtime::inline tokenizer {

/// A SentencePiece model and the mapping of its pieces; immutable.
struct NamedPieces {
  Vocabulary pieces; // by their own numbers
  std::variant<Unigram, ScoredPairs> model;
  std::span<const int32_t> ids; // for each number
  int32_t unknownPiece = 0;     // its number

  static auto fields(auto &self) {
    return std::tie(self.pieces, self.model, self.ids, self.unknownPiece);
  }
  /// Throws Error if the tables are damaged.
  void check() const;

  /// Appends the tokens of one word, which must not be empty. A text that is
  /// not a piece may still be an entry of `words`.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;
};

} // namespace transfold::runtime::inline tokenizer
