// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of strings that test their characters, change their case or fill a
// width, as in Python.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Builtin.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// The string whose method is called.
const Text &self(const Bound &given) { return *given[0].text(); }

/// lower(), upper() and the other methods that change the case.
template <Case form> Value cased(Machine &, const Bound &given) {
  return inCase(self(given), form);
}

/// Whether all characters satisfy the predicate, and, unless `mayBeEmpty`,
/// there is at least one.
template <bool (*Holds)(char32_t), bool mayBeEmpty = false>
Value all(Machine &, const Bound &given) {
  const Text &text = self(given);
  work(text.size(), priceOfCharacters);
  for (size_t at = 0; at < text.size();)
    if (!Holds(nextCodePoint(text.bytes, at)))
      return false;
  return mayBeEmpty || !text.empty();
}
bool isAscii(char32_t code) { return code < 0x80; }

Value islower(Machine &, const Bound &given) {
  return isAllIn(self(given), Case::Lower);
}
Value isupper(Machine &, const Bound &given) {
  return isAllIn(self(given), Case::Upper);
}
/// Whether each run of cased letters begins with an upper-case one.
Value istitle(Machine &, const Bound &given) {
  const Text &text = self(given);
  work(text.size(), priceOfCharacters);
  bool any = false, inWord = false;
  for (size_t at = 0; at < text.size();) {
    char32_t code = nextCodePoint(text.bytes, at);
    bool begins = isUpperCase(code) || isTitleCase(code);
    bool goesOn = isLowerCase(code);
    if ((begins && inWord) || (goesOn && !inWord))
      return false;
    inWord = begins || goesOn;
    any |= inWord;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

/// The text `count` times; empty if that is not above 0.
Text times(const Text &text, int64_t count) {
  Text result;
  for (; count > 0; --count)
    result.append(text);
  return result;
}

/// Adds `before` fill characters before the text and `after` after it.
Text between(const Bound &given, int64_t before, int64_t after) {
  Text fill = given.has(2) ? needText(given[2], "fillchar") : Text(" ");
  if (fill.length() != 1)
    fail("the fill character must be one character");
  Text result = times(fill, before);
  result.append(self(given));
  result.append(times(fill, after));
  return result;
}
/// Number of characters that the string is shorter than the width.
int64_t missing(const Bound &given) {
  int64_t width = given.integer(1, 0);
  return std::max<int64_t>(width - static_cast<int64_t>(self(given).length()),
                           0);
}
Value center(Machine &, const Bound &given) {
  int64_t both = missing(given);
  // As in CPython, an odd fill character goes to the left if the width is odd,
  // too.
  int64_t before = both / 2 + (both & given.integer(1, 0) & 1);
  return between(given, before, both - before);
}
Value ljust(Machine &, const Bound &given) {
  return between(given, 0, missing(given));
}
Value rjust(Machine &, const Bound &given) {
  return between(given, missing(given), 0);
}
/// Fills with zeros after a sign.
Value zfill(Machine &, const Bound &given) {
  const Text &text = self(given);
  bool hasSign = text.bytes.starts_with('-') || text.bytes.starts_with('+');
  Text result = text.substr(0, hasSign);
  result.append(times(Text("0"), missing(given)));
  result.append(text.substr(hasSign));
  return result;
}

/// Replaces each tab by the spaces up to the next column that is a multiple of
/// the size.
Value expandtabs(Machine &, const Bound &given) {
  const Text &text = self(given);
  work(text.size(), priceOfCharacters);
  int64_t size = given.integer(1, 8), column = 0;
  Text result;
  for (size_t at = 0, begin; (begin = at) < text.size();) {
    char32_t code = nextCodePoint(text.bytes, at);
    if (code == '\t') {
      int64_t count = size > 0 ? size - column % size : 0;
      result.append(times(Text(" "), count));
      column += count;
      continue;
    }
    column = code == '\n' || code == '\r' ? 0 : column + 1;
    result.append(text, begin, at);
  }
  return result;
}

constexpr Builtin table[] = {
    {"capitalize", "self", cased<Case::Capital>},
    {"center", "self width fillchar?", center},
    {"expandtabs", "self tabsize?", expandtabs},
    {"isalnum", "self", all<isLetterOrNumber>},
    {"isalpha", "self", all<isPythonLetter>},
    {"isascii", "self", all<isAscii, true>},
    {"isdecimal", "self", all<isPythonDecimal>},
    {"isdigit", "self", all<isPythonDigit>},
    {"islower", "self", islower},
    {"isnumeric", "self", all<isPythonNumber>},
    {"isprintable", "self", all<isPrinted, true>},
    {"isspace", "self", all<isPythonSpace>},
    {"istitle", "self", istitle},
    {"isupper", "self", isupper},
    {"ljust", "self width fillchar?", ljust},
    {"lower", "self", cased<Case::Lower>},
    {"rjust", "self width fillchar?", rjust},
    {"swapcase", "self", cased<Case::Swapped>},
    {"title", "self", cased<Case::Title>},
    {"upper", "self", cased<Case::Upper>},
    {"zfill", "self width", zfill},
};

} // namespace

constinit const std::span<const Builtin> stringForms = table;

} // namespace transfold::runtime::chat
