// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte pair encoding as SentencePiece does it: the characters of a text,
// joined in pairs wherever what they become is a token, the token with the
// highest score first. There is no list of merges.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODELS_SCOREDPAIRS_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODELS_SCOREDPAIRS_H

#include "runtime/tokenizer/Model.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct ScoredPairs {
  std::span<const float> scores; // by id
  /// For characters that are no token.
  ByteTokens byteTokens;
  /// For bytes that are no token; without it they are left out.
  std::optional<int32_t> unknown;
  /// What is unknown side by side is one token, as SentencePiece has it;
  /// otherwise each byte is, as llama.cpp does.
  bool joinsUnknown = false;
  /// Tokens that are joined and then taken apart again, in order.
  std::span<const int32_t> unused;

  static auto fields(auto &self) {
    return std::tie(self.scores, self.byteTokens, self.unknown,
                    self.joinsUnknown, self.unused);
  }

  /// Appends the tokens of one word, which is not empty.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  /// What is no token: its bytes, or the unknown token. The word's tokens are
  /// those from `first` on.
  void appendUnknown(const WordBytes &bytes, size_t begin, size_t end,
                     std::vector<Token> &tokens, size_t first) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODELS_SCOREDPAIRS_H
