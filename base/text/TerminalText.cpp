// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes UTF-8 strictly, as RFC 3629 defines it, since a lenient decoder and
// the terminal could differ about where a character ends. What is not a valid
// character is written byte by byte.

#include "base/text/TerminalText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace transfold {

namespace {

/// Number of bytes of the character with this first byte; 0 if there is none.
size_t lengthOf(unsigned char first) {
  return first < 0x80                    ? 1
         : first >= 0xc2 && first < 0xe0 ? 2
         : first >= 0xe0 && first < 0xf0 ? 3
         : first >= 0xf0 && first < 0xf5 ? 4
                                         : 0;
}

/// Number of bytes of the character at `at`: fewer than its length if the text
/// ends before, 0 if the bytes are invalid.
size_t characterAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = lengthOf(byte(at)), has = 1;
  while (has < length && at + has < text.size() &&
         (byte(at + has) & 0xc0) == 0x80)
    ++has;
  if (length == 0 || (has < length && at + has < text.size()))
    return 0;
  if (has > 1) { // no overlong forms, no surrogates, none beyond U+10FFFF
    unsigned char first = byte(at), second = byte(at + 1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
      return 0;
  }
  return has;
}

/// The code point of a valid character of 1 to 4 bytes.
uint32_t codeOf(std::string_view character) {
  auto first = static_cast<unsigned char>(character[0]);
  uint32_t code = character.size() == 1   ? first
                  : character.size() == 2 ? first & 0x1fU
                  : character.size() == 3 ? first & 0x0fU
                                          : first & 0x07U;
  for (char next : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(next) & 0x3fU);
  return code;
}

/// C0 and C1 control characters and DEL, without the two that texts need.
bool isControl(uint32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') ||
         (code >= 0x7f && code < 0xa0);
}
/// Marks of text direction, and line separators that only some programs
/// display.
bool isMark(uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

} // namespace

std::string TerminalText::shown(std::string_view piece) {
  std::string text = begun.append(piece);
  begun.clear();
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t length = characterAt(text, at);
    if (length > 0 && length < lengthOf(static_cast<unsigned char>(text[at]))) {
      begun = text.substr(at); // the rest of the character may follow
      break;
    }
    std::string_view character =
        std::string_view(text).substr(at, std::max<size_t>(length, 1));
    uint32_t code = length ? codeOf(character) : 0;
    if (length == 0 || isControl(code))
      result +=
          fmt::format("\\x{:02x}",
                      length ? code : static_cast<unsigned char>(character[0]));
    else if (isMark(code))
      result += fmt::format("\\u{:04x}", code);
    else
      result += character;
    at += character.size();
  }
  return result;
}

std::string TerminalText::rest() {
  std::string result;
  for (char byte : begun)
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  begun.clear();
  return result;
}

std::string shownOnTerminal(std::string_view text) {
  TerminalText terminal;
  std::string result = terminal.shown(text);
  return result + terminal.rest();
}

} // namespace transfold
