// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters, escapes, classes and quantifiers of regular expressions.

#include "runtime/constrain/automaton/ParseRegex.h"

#include "base/text/Unicode.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

RegexSource::RegexSource(std::string_view text) {
  for (const Character &each : decodeUtf8(text))
    codes.push_back(each.code);
}

char32_t RegexSource::take() {
  if (isOver())
    fail("ends too early");
  return codes[place++];
}

bool RegexSource::take(char32_t code) {
  if (isOver() || codes[place] != code)
    return false;
  ++place;
  return true;
}

static bool isDigit(char32_t code) { return code >= '0' && code <= '9'; }

/// A number of digits; nullopt if there are none.
static std::optional<uint32_t> readNumber(RegexSource &source) {
  constexpr uint32_t largest = 1'000'000'000;
  if (!isDigit(source.peek()))
    return std::nullopt;
  uint32_t value = 0;
  while (isDigit(source.peek())) {
    value = value * 10 + (source.take() - '0');
    if (value > largest / 10)
      fail("has a number before {} that is too large", source.position());
  }
  return value;
}

std::optional<RegexQuantifier> readQuantifier(RegexSource &source) {
  if (source.take('*'))
    return RegexQuantifier{0, UINT32_MAX};
  if (source.take('+'))
    return RegexQuantifier{1, UINT32_MAX};
  if (source.take('?'))
    return RegexQuantifier{0, 1};
  const size_t begin = source.mark();
  if (!source.take('{'))
    return std::nullopt;
  auto least = readNumber(source);
  auto most = least;
  if (least && source.take(','))
    most = source.peek() == '}' ? UINT32_MAX : readNumber(source);
  if (!least || !most || !source.take('}')) { // an ordinary brace
    source.goBack(begin);
    return std::nullopt;
  }
  if (*most < *least)
    fail("has a quantifier before {} whose numbers are in the wrong order",
         source.position());
  return RegexQuantifier{*least, *most};
}

const CodeSet &lineCharacters() {
  static const CodeSet set =
      CodeSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.complement();
  return set;
}

/// The set of a letter such as d or W; null if there is none. White space is
/// what both ECMA-262 and Python call so, and \S what neither does.
static const CodeSet *namedSet(char32_t letter) {
  static const CodeSet digits = {{'0', '9'}},
                       words = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
                       spaces = {{'\t', '\r'},     {' ', ' '},
                                 {0xA0, 0xA0},     {0x1680, 0x1680},
                                 {0x2000, 0x200A}, {0x2028, 0x2029},
                                 {0x202F, 0x202F}, {0x205F, 0x205F},
                                 {0x3000, 0x3000}},
                       noDigits = digits.complement(),
                       noWords = words.complement(),
                       noSpaces = spaces.complement().minus(
                           {{0x1C, 0x1F}, {0x85, 0x85}, {0xFEFF, 0xFEFF}});
  switch (letter) {
  case 'd':
    return &digits;
  case 'D':
    return &noDigits;
  case 'w':
    return &words;
  case 'W':
    return &noWords;
  case 's':
    return &spaces;
  case 'S':
    return &noSpaces;
  default:
    return nullptr;
  }
}

/// `count` hexadecimal digits.
static char32_t readHex(RegexSource &source, int count) {
  char32_t value = 0;
  for (int i = 0; i < count; ++i) {
    const char32_t code = source.take(), lower = code | 0x20;
    if (isDigit(code))
      value = value * 16 + (code - '0');
    else if (lower >= 'a' && lower <= 'f')
      value = value * 16 + (lower - 'a' + 10);
    else
      fail("has an escape before {} without {} hexadecimal digits",
           source.position(), count);
  }
  return value;
}

/// What follows "\u": four digits, two escapes of surrogates, or {digits}.
static char32_t readUnicode(RegexSource &source) {
  if (source.take('{')) {
    char32_t value = 0;
    while (!source.take('}')) {
      value = value * 16 + readHex(source, 1);
      if (value > 0x10FFFF)
        fail("has a code point before {} that does not exist",
             source.position());
    }
    return value;
  }
  const char32_t high = readHex(source, 4);
  const size_t after = source.mark();
  if (high >= 0xD800 && high <= 0xDBFF && source.take('\\') &&
      source.take('u') && source.peek() != '{') {
    const char32_t low = readHex(source, 4);
    if (low >= 0xDC00 && low <= 0xDFFF)
      return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  source.goBack(after);
  return high; // alone, it is in no text
}

/// The code point of an escape that is not a set.
static char32_t readEscapedCharacter(RegexSource &source) {
  const char32_t code = source.take();
  switch (code) {
  case 't':
    return '\t';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 'f':
    return '\f';
  case 'v':
    return '\v';
  case 'x':
    return readHex(source, 2);
  case 'u':
    return readUnicode(source);
  case '0':
    if (!isDigit(source.peek()))
      return 0;
    break;
  default:
    if (code > 0x7F || !isWordCharacter(code) || code == '_')
      return code;
  }
  std::string name;
  appendUtf8(name, code);
  fail("has '\\{}' before {}, which is not supported", name, source.position());
}

CodeSet readEscape(RegexSource &source) {
  if (const CodeSet *set = namedSet(source.peek())) {
    source.take();
    return *set;
  }
  const char32_t code = readEscapedCharacter(source);
  return {{code, code}};
}

/// A part of a class: a set such as \d, or one code point.
static CodeSet readClassPart(RegexSource &source) {
  const char32_t code = source.take();
  if (code != '\\')
    return {{code, code}};
  if (source.take('b'))
    return {{'\b', '\b'}};
  return readEscape(source);
}

/// The only code point of a set; nullopt if it has several.
static std::optional<char32_t> onlyOf(const CodeSet &set) {
  auto ranges = set.ranges();
  if (ranges.size() == 1 && ranges[0].low == ranges[0].high)
    return ranges[0].low;
  return std::nullopt;
}

CodeSet readClass(RegexSource &source, ConstraintBudget &budget) {
  const size_t at = source.position() - 1;
  const bool isNegated = source.take('^');
  CodeSet result;
  while (!source.take(']')) {
    if (source.isOver())
      fail("has '[' at {} without ']'", at);
    budget.work(4);
    CodeSet part = readClassPart(source);
    const size_t mark = source.mark();
    auto low = onlyOf(part);
    if (low && source.take('-') && source.peek() != ']' && !source.isOver()) {
      auto high = onlyOf(readClassPart(source));
      if (high && *high < *low)
        fail("has a range before {} whose ends are in the wrong order",
             source.position());
      if (high) {
        result.add(*low, *high);
        continue;
      }
    }
    source.goBack(mark);
    result.add(part);
  }
  return isNegated ? result.complement() : result;
}

} // namespace transfold::runtime::inline constrain
