// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SentencePiece's byte pair encoding: the characters of a text are joined in
// pairs whenever the result is a token, the token with the highest score first.
// There is no list of merges.

#pragma once

#include "runtime/tokenizer/Model.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The scores and settings of one model; immutable.
struct ScoredPairs {
  std::span<const float> scores; // by id
  /// Used for characters that are not tokens.
  ByteTokens byteTokens;
  /// Used for bytes that are not tokens; without it they are dropped.
  std::optional<int32_t> unknown;
  /// Adjacent unknown characters become one token, as in SentencePiece;
  /// otherwise each byte does, as in llama.cpp.
  bool joinsUnknown = false;
  /// Tokens that are joined and then split again, sorted.
  std::span<const int32_t> unused;

  static auto fields(auto &self) {
    return std::tie(self.scores, self.byteTokens, self.unknown,
                    self.joinsUnknown, self.unused);
  }

  /// Appends the tokens of one word, which must not be empty.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  /// Appends a text that is not a token, as bytes or as the unknown token. The
  /// word's tokens are those from index `first` on.
  void appendUnknown(const WordBytes &bytes, size_t begin, size_t end,
                     std::vector<Token> &tokens, size_t first) const;
};

} // namespace transfold::runtime::inline tokenizer
