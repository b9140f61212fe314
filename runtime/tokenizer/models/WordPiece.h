// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece (Schuster and Nakajima 2012; Devlin et al. 2019): a word is split
// into its longest prefix that is a token, then the longest continuation, and
// so on; a word that cannot be covered becomes the unknown token.

#pragma once

#include "runtime/tokenizer/Model.h"

#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The settings of one model; immutable.
struct WordPiece {
  std::string continuing; // "##"
  /// Characters; longer words become the unknown token.
  uint64_t longestWord = 100;
  /// The token of a word that is too long, or that tokens cannot cover.
  int32_t unknown = 0;

  static auto fields(auto &self) {
    return std::tie(self.continuing, self.longestWord, self.unknown);
  }

  /// Appends the tokens of one word, which must not be empty.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;
};

} // namespace transfold::runtime::inline tokenizer
