// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// UTF-8, and properties from utf8proc's tables, corrected to the versions of
// Unicode that Hugging Face's tokenizers use (UnicodeAge.h): a newer table
// would give other ids for the same text.

#include "base/text/Unicode.h"

#include "base/Error.h"
#include "base/text/UnicodeAge.h"

#include <utf8proc.h>

#include <algorithm>

namespace transfold {

namespace {

/// The general category in utf8proc's version of Unicode.
utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

/// The category in Unicode 8, as far as accents, punctuation and format
/// characters are concerned.
utf8proc_category_t oldCategory(char32_t code) {
  switch (code) { // characters whose category has changed since
  case 0x166d:
  case 0x111c9:
    return UTF8PROC_CATEGORY_PO;
  case 0x1734:
    return UTF8PROC_CATEGORY_MN;
  }
  return isAfterUnicode8(code) ? UTF8PROC_CATEGORY_CN : category(code);
}

} // namespace

Characters decodeUtf8(std::string_view text) {
  Characters characters;
  characters.reserve(text.size());
  auto *bytes = reinterpret_cast<const utf8proc_uint8_t *>(text.data());
  for (size_t at = 0; at < text.size();) {
    auto index = static_cast<uint32_t>(characters.size());
    char32_t code = bytes[at];
    size_t length = 1;
    if (code >= 0x80) {
      utf8proc_int32_t decoded;
      auto read = utf8proc_iterate(
          bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at),
          &decoded);
      if (read <= 0)
        fail("the text is not valid UTF-8 (byte {})", at + 1);
      code = static_cast<char32_t>(decoded);
      length = static_cast<size_t>(read);
    }
    characters.push_back({code, index, index + 1});
    at += length;
  }
  return characters;
}

void appendUtf8(std::string &to, char32_t code) {
  utf8proc_uint8_t bytes[4];
  auto length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  to.append(reinterpret_cast<const char *>(bytes), static_cast<size_t>(length));
}

std::string encodeUtf8(std::span<const Character> text) {
  std::string bytes;
  for (const Character &character : text)
    appendUtf8(bytes, character.code);
  return bytes;
}

std::string repairUtf8(std::string_view bytes) {
  std::string repaired;
  auto byte = [&](size_t at) -> unsigned {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
  };
  for (size_t at = 0; at < bytes.size();) {
    // Length of the character, and range of its second byte: the longest
    // incomplete prefix of a character becomes one U+FFFD.
    unsigned first = byte(at), low = 0x80, high = 0xbf;
    size_t length = first < 0x80                    ? 1
                    : first >= 0xc2 && first < 0xe0 ? 2
                    : first >= 0xe0 && first < 0xf0 ? 3
                    : first >= 0xf0 && first < 0xf5 ? 4
                                                    : 0;
    if (first == 0xe0)
      low = 0xa0;
    else if (first == 0xed)
      high = 0x9f;
    else if (first == 0xf0)
      low = 0x90;
    else if (first == 0xf4)
      high = 0x8f;
    size_t valid = length ? 1 : 0;
    while (valid && valid < length && byte(at + valid) >= low &&
           byte(at + valid) <= high) {
      ++valid;
      low = 0x80;
      high = 0xbf;
    }
    if (length && valid == length)
      repaired += bytes.substr(at, length);
    else
      repaired += "\uFFFD";
    at += std::max<size_t>(valid, 1);
  }
  return repaired;
}

bool isWhitespace(char32_t code) {
  return (code >= 9 && code <= 13) || code == 0x20 || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

bool isPunctuationOrSymbol(char32_t code) {
  if (code < 0x80)
    return (code >= '!' && code <= '/') || (code >= ':' && code <= '@') ||
           (code >= '[' && code <= '`') || (code >= '{' && code <= '~');
  auto kind = oldCategory(code);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool isControlOrPrivate(char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r')
    return false;
  auto kind = oldCategory(code);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF ||
         kind == UTF8PROC_CATEGORY_CO;
}

bool isNonspacingMark(char32_t code) {
  return oldCategory(code) == UTF8PROC_CATEGORY_MN;
}

bool isWordCharacter(char32_t code) {
  if (code == 0x200c || code == 0x200d ||   // joiners
      (code >= 0x24b6 && code <= 0x24e9) || // letters in circles and squares
      (code >= 0x1f130 && code <= 0x1f149) ||
      (code >= 0x1f150 && code <= 0x1f169) ||
      (code >= 0x1f170 && code <= 0x1f189))
    return true;
  auto kind = category(code);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NL) ||
         kind == UTF8PROC_CATEGORY_PC;
}

bool isLetter(char32_t code) {
  auto kind = category(code);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool isNumber(char32_t code) {
  auto kind = category(code);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool isMark(char32_t code) {
  if (code == 0x1cf2 || code == 0x1cf3) // formerly marks
    return true;
  auto kind = category(code);
  return !isAfterUnicode9(code) && kind >= UTF8PROC_CATEGORY_MN &&
         kind <= UTF8PROC_CATEGORY_ME;
}

void rewrite(Characters &text, std::span<const Change> changes) {
  Characters result;
  result.reserve(changes.size());
  size_t at = 0; // the next character that can be replaced
  for (const Change &change : changes) {
    if (text.empty())
      return;
    size_t from = change.change > 0 ? (at ? at - 1 : 0) : at;
    const Character &old = text[std::min(from, text.size() - 1)];
    result.push_back({change.code, old.begin, old.end});
    if (change.change <= 0)
      at += 1 + static_cast<size_t>(-change.change);
  }
  text = std::move(result);
}

void prepend(Characters &text, const std::u32string &what) {
  if (text.empty())
    return;
  Character first = text.front();
  Characters before;
  for (char32_t code : what)
    before.push_back({code, first.begin, first.end});
  text.insert(text.begin(), before.begin(), before.end());
}

void toLowerCase(Characters &text) {
  bool grows = false;
  for (Character &character : text) {
    if (character.code < 0x80) {
      if (character.code >= 'A' && character.code <= 'Z')
        character.code += 'a' - 'A';
    } else if (character.code == 0x130) {
      grows = true;
    } else {
      character.code = static_cast<char32_t>(
          utf8proc_tolower(static_cast<utf8proc_int32_t>(character.code)));
    }
  }
  if (!grows)
    return;
  // The only character whose lower case consists of two: I with a dot above.
  Characters result;
  for (const Character &character : text) {
    if (character.code != 0x130) {
      result.push_back(character);
      continue;
    }
    result.push_back({U'i', character.begin, character.end});
    result.push_back({0x307, character.begin, character.end});
  }
  text = std::move(result);
}

} // namespace transfold
