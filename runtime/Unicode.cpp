// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Unicode.h"

#include "runtime/Error.h"
#include "runtime/UnicodeAge.h"

#include <utf8proc.h>

#include <algorithm>

namespace transfold::runtime {

namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

/// The category in Unicode 8, as far as accents, punctuation and format
/// characters go.
utf8proc_category_t oldCategory(char32_t code) {
  switch (code) { // those that have changed since
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

bool isWhitespace(char32_t code) {
  return (code >= 9 && code <= 13) || code == 0x20 || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

bool isBertPunctuation(char32_t code) {
  if (code < 0x80)
    return (code >= '!' && code <= '/') || (code >= ':' && code <= '@') ||
           (code >= '[' && code <= '`') || (code >= '{' && code <= '~');
  auto kind = oldCategory(code);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool isBertControl(char32_t code) {
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

void decompose(Characters &text) {
  bool ascii = std::all_of(text.begin(), text.end(),
                           [](const Character &c) { return c.code < 0x80; });
  if (ascii)
    return;
  Characters result;
  result.reserve(text.size());
  auto combiningClass = [](const Character &c) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(c.code))
        ->combining_class;
  };
  for (const Character &character : text) {
    // No canonical decomposition is longer than four code points.
    utf8proc_int32_t parts[8];
    int boundary = 0;
    auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character.code),
                                parts, 8, UTF8PROC_DECOMPOSE, &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < 8; ++i)
      result.push_back(
          {static_cast<char32_t>(parts[i]), character.begin, character.end});
  }
  // Marks after a base character are ordered by their combining class.
  for (auto at = result.begin(); at != result.end();) {
    if (combiningClass(*at) == 0) {
      ++at;
      continue;
    }
    auto end = std::find_if(at, result.end(), [&](const Character &c) {
      return combiningClass(c) == 0;
    });
    // Among equals the order stays; the class and the place sort together.
    std::vector<std::pair<int, size_t>> order;
    for (auto mark = at; mark != end; ++mark)
      order.emplace_back(combiningClass(*mark), order.size());
    std::sort(order.begin(), order.end());
    Characters marks(at, end);
    for (size_t i = 0; i < order.size(); ++i)
      at[static_cast<std::ptrdiff_t>(i)] = marks[order[i].second];
    at = end;
  }
  text = std::move(result);
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
  // The only character whose lower case is two: I with a dot above.
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

} // namespace transfold::runtime
