// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as code points, and the properties of characters as the tokenizers of
// Hugging Face see them.

#ifndef TRANSFOLD_RUNTIME_UNICODE_H
#define TRANSFOLD_RUNTIME_UNICODE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

/// A code point, and which code points [begin, end) of the original text it
/// stands for.
struct Character {
  char32_t code;
  uint32_t begin, end;
};
using Characters = std::vector<Character>;

/// The code points of `text`. Throws Error with the place of the first byte
/// that is not UTF-8.
Characters decodeUtf8(std::string_view text);
/// Appends a code point as UTF-8.
void appendUtf8(std::string &to, char32_t code);

/// White_Space.
bool isWhitespace(char32_t code);
/// General categories P*, and all ASCII characters that are printed but are
/// neither letters nor digits: what BERT calls punctuation.
bool isBertPunctuation(char32_t code);
/// Control, format, private use: what BERT removes. Not tab and line ends.
bool isBertControl(char32_t code);
/// General category Mn: accents.
bool isNonspacingMark(char32_t code);
/// What a word consists of: letters, marks, digits, connectors.
bool isWordCharacter(char32_t code);

/// Canonical decomposition (NFD), with marks in canonical order.
void decompose(Characters &text);
/// Lower case, character by character without regard to context.
void toLowerCase(Characters &text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_UNICODE_H
