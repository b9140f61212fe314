// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that are found in the text as they stand, before it is cut into
// words: [MASK], <|endoftext|>.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_ADDEDTOKENS_H
#define TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_ADDEDTOKENS_H

#include "runtime/tokenizer/characters/Unicode.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct AddedTokens {
  struct Token {
    int32_t id;
    uint8_t special;
    uint8_t singleWord;            // only where no word goes on before or after
    uint8_t leftStrip, rightStrip; // swallows the white space beside it
  };
  /// Tokens with the same first character. There may be thousands: one is
  /// looked up for each length that occurs.
  struct Group {
    char32_t first;
    uint32_t begin, end; // in `lengths`, the longest first
  };

  Vocabulary contents; // the "ids" are places in `tokens`
  std::span<const Token> tokens;
  std::span<const Group> groups;     // by first character
  std::span<const uint32_t> lengths; // characters
  /// Of tokens that overlap the longest is taken, as llama.cpp does. Otherwise
  /// the leftmost, and of those the longest, as Hugging Face does.
  bool longestFirst = false;

  static auto fields(auto &self) {
    return std::tie(self.contents, self.tokens, self.groups, self.lengths,
                    self.longestFirst);
  }

  /// A piece of a text: one of the tokens, or what lies between (id -1).
  struct Piece {
    int32_t id;
    std::span<const Character> text;
  };
  /// Cuts the text at the tokens in it. No special token is found where
  /// `typed` holds for one of its characters; `typed` counts the characters of
  /// the original text and may be empty.
  std::vector<Piece> split(std::span<const Character> text,
                           const std::vector<bool> &typed) const;
  /// The longest token that the text begins with, by the same rule.
  std::optional<Piece> first(std::span<const Character> text,
                             const std::vector<bool> &typed) const;

private:
  struct Match {
    const Token *token;
    size_t begin, end;
  };
  template <typename Function>
  void forEachAt(std::span<const Character> text, size_t begin,
                 Function take) const;
  std::vector<Match> leftmostMatches(std::span<const Character> text,
                                     const std::vector<bool> &typed) const;
  std::vector<Match> longestMatches(std::span<const Character> text,
                                    const std::vector<bool> &typed) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_ADDEDTOKENS_H
