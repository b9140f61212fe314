// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that are recognized in the text as they are, before it is split into
// words: [MASK], <|endoftext|>.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// A set of tokens in the program's tables; immutable.
struct AddedTokens {
  /// A token and the conditions under which it matches.
  struct Token {
    int32_t id;
    uint8_t special;
    uint8_t singleWord; // matches only if it is not a part of a longer word
    uint8_t leftStrip, rightStrip; // includes the white space next to it
  };
  /// Tokens with the same first character. There may be thousands of them: one
  /// lookup is made for each length that occurs.
  struct Group {
    char32_t first;
    uint32_t begin, end; // in `lengths`, in descending order
  };

  Vocabulary contents; // the "ids" are indices into `tokens`
  std::span<const Token> tokens;
  std::span<const Group> groups;     // by first character
  std::span<const uint32_t> lengths; // lengths in characters
  /// Of overlapping tokens the longest one is taken, as in llama.cpp. Otherwise
  /// the leftmost one, and of those the longest, as in Hugging Face's library.
  bool longestFirst = false;

  static auto fields(auto &self) {
    return std::tie(self.contents, self.tokens, self.groups, self.lengths,
                    self.longestFirst);
  }

  /// A piece of a text: one of the tokens, or the text between tokens (id -1).
  struct Piece {
    int32_t id;
    std::span<const Character> text;
  };
  /// Splits the text at the tokens in it. A special token is not recognized if
  /// `typed` is true for one of its characters; `typed` is indexed by the
  /// characters of the original text and may be empty.
  std::vector<Piece> split(std::span<const Character> text,
                           const std::vector<bool> &typed) const;
  /// The longest token at the beginning of the text, by the same rule.
  std::optional<Piece> first(std::span<const Character> text,
                             const std::vector<bool> &typed) const;

private:
  /// A token at the characters [begin, end) of a text.
  struct Match {
    const Token *token;
    size_t begin, end;
  };
  template <typename Function>
  void forEachAt(std::span<const Character> text, size_t begin,
                 Function take) const;
  /// The matches that are used, in the order of the text: by one rule or the
  /// other (`longestFirst`).
  std::vector<Match> leftmostMatches(std::span<const Character> text,
                                     const std::vector<bool> &typed) const;
  std::vector<Match> longestMatches(std::span<const Character> text,
                                    const std::vector<bool> &typed) const;
};

} // namespace transfold::runtime::inline tokenizer
