// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's predicates from utf8proc's categories and the tables of exceptions,
// and its case conversions, which may change the number of characters.

#include "runtime/chat/text/Characters.h"

#include "base/text/Unicode.h"
#include "runtime/chat/text/CharacterTables.h"

#include <utf8proc.h>

#include <algorithm>
#include <span>

namespace transfold::runtime::chat {

namespace {

/// Whether one of the ranges, which are sorted and disjoint, contains a
/// character.
bool isIn(std::span<const CharacterRange> ranges, char32_t code) {
  auto after =
      std::ranges::upper_bound(ranges, code, {}, &CharacterRange::first);
  return after != ranges.begin() && code <= (after - 1)->last;
}

/// The general category of Unicode.
utf8proc_category_t categoryOf(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

} // namespace

bool isPythonSpace(char32_t code) {
  return isWhitespace(code) || (code >= 0x1c && code <= 0x1f);
}
bool isPythonLetter(char32_t code) { return isLetter(code); }
bool isPythonDecimal(char32_t code) {
  return categoryOf(code) == UTF8PROC_CATEGORY_ND;
}
bool isPythonDigit(char32_t code) {
  return isPythonDecimal(code) || isIn(otherDigits, code);
}
bool isPythonNumber(char32_t code) {
  return isNumber(code) || isIn(otherNumbers, code);
}
bool isLetterOrNumber(char32_t code) {
  return isLetter(code) || isNumber(code);
}
bool isLineEnd(char32_t code) {
  return (code >= 0xa && code <= 0xd) || (code >= 0x1c && code <= 0x1e) ||
         code == 0x85 || code == 0x2028 || code == 0x2029;
}

bool isPrinted(char32_t code) {
  switch (categoryOf(code)) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  case UTF8PROC_CATEGORY_ZS:
    return code == ' ';
  default:
    return true;
  }
}

bool isLowerCase(char32_t code) {
  return categoryOf(code) == UTF8PROC_CATEGORY_LL || isIn(otherLower, code);
}
bool isUpperCase(char32_t code) {
  return categoryOf(code) == UTF8PROC_CATEGORY_LU || isIn(otherUpper, code);
}
bool isTitleCase(char32_t code) {
  return categoryOf(code) == UTF8PROC_CATEGORY_LT;
}

//===----------------------------------------------------------------------===//
// Case conversion
//===----------------------------------------------------------------------===//

namespace {

/// Case_Ignorable of Unicode: characters such as accents and apostrophes, which
/// do not end a word.
bool isIgnorable(char32_t code) {
  switch (categoryOf(code)) {
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_SK:
    return true;
  default:
    return isIn(otherIgnorable, code);
  }
}

/// Whether the sigma at [begin, end) ends a word, where its lower case is ς.
bool isFinalSigma(std::string_view text, size_t begin, size_t end) {
  bool isAfterLetter = false;
  for (size_t at = begin; at > 0;) {
    at = codePointBefore(text, at);
    size_t next = at;
    char32_t code = nextCodePoint(text, next);
    if (isIgnorable(code))
      continue;
    isAfterLetter = isCased(code);
    break;
  }
  if (!isAfterLetter)
    return false;
  while (end < text.size()) {
    char32_t code = nextCodePoint(text, end);
    if (!isIgnorable(code))
      return !isCased(code);
  }
  return true;
}

/// The entry for a character whose upper case has several characters, or null.
const LongCase *longCaseOf(char32_t code) {
  const auto *found =
      std::ranges::lower_bound(longCases, code, {}, &LongCase::code);
  return found != std::end(longCases) && found->code == code ? found : nullptr;
}

/// Appends characters up to a zero.
void add(std::string &to, const char32_t (&codes)[3]) {
  for (char32_t code : codes)
    if (code)
      appendUtf8(to, code);
}

/// Appends the lower case of the character at [begin, end) of `text`.
void addLower(std::string &to, char32_t code, std::string_view text,
              size_t begin, size_t end) {
  constexpr char32_t sigma = 0x3a3, dottedI = 0x130;
  if (code == dottedI)
    to += "i\u0307";
  else if (code == sigma)
    to += isFinalSigma(text, begin, end) ? "\u03c2" : "\u03c3";
  else
    appendUtf8(to, static_cast<char32_t>(
                       utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
}

/// Appends the upper case or the title case of a character.
void addUpper(std::string &to, char32_t code, bool asTitle) {
  const LongCase *several = longCaseOf(code);
  auto known = static_cast<utf8proc_int32_t>(code);
  if (several && (!asTitle || several->title[0]))
    add(to, asTitle ? several->title : several->upper);
  else
    appendUtf8(to, static_cast<char32_t>(asTitle ? utf8proc_totitle(known)
                                                 : utf8proc_toupper(known)));
}

} // namespace

Text inCase(const Text &text, Case form) {
  work(text.size(), priceOfCharacters);
  Text result;
  bool wasCased = false;
  std::string changed;
  for (size_t at = 0, begin; (begin = at) < text.size();) {
    char32_t code = nextCodePoint(text.bytes, at);
    bool begins = form == Case::Capital ? begin == 0
                  : form == Case::Title ? !wasCased
                                        : false;
    changed.clear();
    if (form == Case::Upper || (form == Case::Swapped && isLowerCase(code)))
      addUpper(changed, code, false);
    else if (begins)
      addUpper(changed, code, true);
    else if (form != Case::Swapped || isUpperCase(code))
      addLower(changed, code, text.bytes, begin, at);
    else
      appendUtf8(changed, code);
    wasCased = form == Case::Title && isCased(code);
    result.append(changed, text.originAt(begin));
  }
  return result;
}

} // namespace transfold::runtime::chat
