// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as code points, and the properties of characters as the tokenizers of
// Hugging Face see them.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_UNICODE_H
#define TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_UNICODE_H

#include <cstdint>
#include <span>
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

/// How SentencePiece writes a space: "▁".
constexpr char32_t spaceMark = 0x2581;

/// The code points of `text`. Throws Error with the place of the first byte
/// that is not UTF-8.
Characters decodeUtf8(std::string_view text);
/// Appends a code point as UTF-8.
void appendUtf8(std::string &to, char32_t code);
/// The text as UTF-8.
std::string encodeUtf8(std::span<const Character> text);
/// Bytes that may not be UTF-8; what is not becomes U+FFFD.
std::string repairUtf8(std::string_view bytes);

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

/// General categories L* and N*.
bool isLetter(char32_t code);
bool isNumber(char32_t code);
/// General categories M* of Unicode 9.
bool isMark(char32_t code);

/// One character of a rewritten text: 0 where it takes the place of a
/// character, -n where it takes the place of n + 1, 1 where it is inserted
/// after the one before.
struct Change {
  char32_t code;
  int change;
};
/// Rewrites a text; each new character stands for what the one stood for whose
/// place it takes.
void rewrite(Characters &text, std::span<const Change> changes);

/// Puts characters before a text that is not empty; they stand for its first.
void prepend(Characters &text, const std::u32string &what);

/// The normal forms of Unicode.
enum class NormalForm : uint8_t { D, KD, C, KC };
void normalize(Characters &text, NormalForm form);
/// Lower case, character by character without regard to context.
void toLowerCase(Characters &text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_UNICODE_H
