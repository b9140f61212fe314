// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as code points, and the properties of characters as Hugging Face's
// tokenizers define them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold {

/// A code point, and the code points [begin, end) of the original text for
/// which it stands.
struct Character {
  char32_t code;
  uint32_t begin, end;
};
using Characters = std::vector<Character>;

/// SentencePiece's character for a space: "▁".
constexpr char32_t spaceMark = 0x2581;

/// The code points of `text`. Throws Error with the position of the first byte
/// that is not UTF-8.
Characters decodeUtf8(std::string_view text);
/// Appends a code point as UTF-8.
void appendUtf8(std::string &to, char32_t code);
/// The text as UTF-8.
std::string encodeUtf8(std::span<const Character> text);
/// Replaces invalid UTF-8 by U+FFFD.
std::string repairUtf8(std::string_view bytes);

/// Whether a character has the property White_Space.
bool isWhitespace(char32_t code);
/// General categories P*, and all printable ASCII characters except letters,
/// digits and the space.
bool isPunctuationOrSymbol(char32_t code);
/// Control, format and private-use characters, except for tab and line breaks.
bool isControlOrPrivate(char32_t code);
/// General category Mn: accents.
bool isNonspacingMark(char32_t code);
/// Characters of words: letters, marks, digits, connectors.
bool isWordCharacter(char32_t code);

/// General categories L*.
bool isLetter(char32_t code);
/// General categories N*.
bool isNumber(char32_t code);
/// General categories M* of Unicode 9.
bool isMark(char32_t code);

/// One character of a rewritten text: 0 if it replaces one character, -n if it
/// replaces n + 1, 1 if it is inserted after the preceding one.
struct Change {
  char32_t code;
  int change;
};
/// Rewrites a text; each new character gets the position of the character that
/// it replaces.
void rewrite(Characters &text, std::span<const Change> changes);

/// Adds characters before a text, which must not be empty; they get the
/// position of its first character.
void prepend(Characters &text, const std::u32string &what);

/// The normal forms of Unicode.
enum class NormalForm : uint8_t { D, KD, C, KC };
/// Converts a text to a normal form.
void normalize(Characters &text, NormalForm form);
/// Converts to lower case, character by character, without regard to context.
void toLowerCase(Characters &text);

} // namespace transfold
