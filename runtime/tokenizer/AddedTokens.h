// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that are found in the text as they stand, before it is cut into
// words: [MASK], <|endoftext|>.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_ADDEDTOKENS_H
#define TRANSFOLD_RUNTIME_TOKENIZER_ADDEDTOKENS_H

#include "runtime/tokenizer/Unicode.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace transfold::runtime {

struct AddedToken {
  int32_t id;
  std::u32string content;
  bool singleWord;            // only where no word goes on before or after
  bool leftStrip, rightStrip; // swallows the white space beside it
  bool special = false;       // steers the model
};

class AddedTokens {
public:
  void add(AddedToken token);

  /// A piece of a text: one of the tokens, or what lies between (id -1).
  struct Piece {
    int32_t id;
    std::span<const Character> text;
  };
  /// Cuts the text at the tokens in it: leftmost first, longest first. No
  /// special token is found where `typed` holds for one of its characters;
  /// `typed` counts the characters of the original text and may be empty.
  std::vector<Piece> split(std::span<const Character> text,
                           const std::vector<bool> &typed) const;

private:
  /// Tokens with the same first character. There may be thousands: one is
  /// looked up for each length that occurs.
  struct Group {
    std::map<std::u32string, AddedToken, std::less<>> tokens; // by content
    std::set<size_t, std::greater<>> lengths;                 // longest first
  };
  std::unordered_map<char32_t, Group> byFirst;

  const AddedToken *longestAt(std::span<const Character> rest) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_ADDEDTOKENS_H
