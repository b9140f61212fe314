// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses escapes and sets. Sets may contain sets and be intersected with
// others, as in Oniguruma.

#include "compiler/tokenizer/pattern/CharacterParser.h"

#include "compiler/tokenizer/pattern/Properties.h"

#include <optional>
#include <string_view>
#include <utility>

namespace transfold::tokenizer {

using runtime::CharacterClass;

namespace {

/// The limit for nested sets.
constexpr size_t deepestSet = 16;

/// The complement of a class if `negated`; twice negated is not negated.
CharacterClass negatedIf(bool negated, CharacterClass one) {
  one.negated = one.negated != negated;
  return one;
}

/// The code point of at most `most` digits; nullopt if there are no digits.
std::optional<char32_t> digits(ExpressionText &text, size_t most, int base) {
  char32_t code = 0;
  size_t read = 0;
  for (; read < most; ++read) {
    const char32_t next = text.peek(), lower = next | 0x20;
    int digit = next >= '0' && next <= '9' ? static_cast<int>(next - '0')
                : lower >= 'a' && lower <= 'f'
                    ? static_cast<int>(lower - 'a') + 10
                    : base;
    if (digit >= base)
      break;
    code = code * base + digit;
    text.take();
  }
  return read ? std::optional(code) : std::nullopt;
}

/// The character of "41" after \x, of "0041" after \u, or of digits in braces.
CharacterClass hexadecimal(ExpressionText &text, size_t most) {
  const bool braces = text.accept(U"{");
  std::optional<char32_t> code = digits(text, braces ? 8 : most, 16);
  if (!code || *code > 0x10ffff || (braces && !text.accept(U"}")))
    text.unknown("this character");
  return onlyCharacter(*code);
}

/// The class of a property in braces: "{L}", "{^L}".
CharacterClass bracedProperty(ExpressionText &text, bool negated) {
  const size_t begin = text.position();
  if (!text.accept(U"{"))
    text.unknown("a property without braces");
  if (text.accept(U"^"))
    negated = !negated;
  std::optional<std::u32string_view> name = text.takeUntil(U"}");
  if (!name)
    text.unknown("a property without braces");
  if (std::optional<CharacterClass> found = property(*name))
    return negatedIf(negated, std::move(*found));
  text.goBackTo(begin);
  text.unknown("this property");
}

/// The class of "[:alpha:]" or "[:^alpha:]"; nullopt for an ordinary set.
std::optional<CharacterClass> posixBracket(ExpressionText &text) {
  const size_t begin = text.position();
  if (!text.accept(U"[:"))
    return std::nullopt;
  const bool negated = text.accept(U"^");
  std::optional<std::u32string_view> name = text.takeUntil(U":]");
  if (name && name->find_first_of(U"[]:\\") == name->npos) {
    if (std::optional<CharacterClass> found = posixClass(*name))
      return negatedIf(negated, std::move(*found));
    text.goBackTo(begin);
    text.unknown("this class");
  }
  text.goBackTo(begin);
  return std::nullopt;
}

/// Whether a class is a single character, which may begin or end a range.
bool isOneCharacter(const CharacterClass &part) {
  return part.ranges.size() == 1 && !part.negated && !part.space &&
         !part.categories && part.ranges[0].first == part.ranges[0].second;
}

/// Parses a set; recursive for sets in sets.
class BracketParser {
public:
  explicit BracketParser(ExpressionText &text) : text(text) {}

  CharacterTree parse() {
    if (++depth > deepestSet)
      text.unknown("too many nested sets");
    CharacterTree whole;
    whole.negated = text.accept(U"^");
    // A ']' in first place is a member.
    if (text.peek() == ']')
      whole.add(onlyCharacter(text.take()));
    members(whole);
    while (text.accept(U"&&")) {
      CharacterTree other;
      members(other);
      whole.intersected.push_back(std::move(other));
    }
    if (!text.accept(U"]"))
      text.unknown("a '[' without its ']'");
    --depth;
    return whole;
  }

private:
  ExpressionText &text;
  size_t depth = 0;

  /// Parses members up to a ']' or "&&".
  void members(CharacterTree &set) {
    while (!text.atEnd() && text.peek() != ']' &&
           (text.peek() != '&' || text.peek(1) != '&')) {
      if (std::optional<CharacterClass> posix = posixBracket(text))
        set.add(std::move(*posix));
      else if (text.accept(U"["))
        set.add(parse());
      else
        set.add(range());
    }
  }

  CharacterClass member() {
    if (text.atEnd())
      text.unknown("a '[' without its ']'");
    // In sets, \w is [:word:], which lacks some characters of the usual \w.
    if (text.accept(U"\\w"))
      return *posixClass(U"word");
    if (text.accept(U"\\W"))
      return negatedIf(true, *posixClass(U"word"));
    return text.accept(U"\\") ? parseEscape(text) : onlyCharacter(text.take());
  }

  /// Parses one character or class, or a range "a-z".
  CharacterClass range() {
    CharacterClass part = member();
    if (!isOneCharacter(part) || text.peek() != '-' || text.peek(1) == ']' ||
        text.peek(1) == 0)
      return part;
    text.take();
    if (text.peek() == '[') // the hyphen is a member, and so is what follows
      return part.ranges.emplace_back('-', '-'), part;
    CharacterClass last = member();
    if (!isOneCharacter(last) || last.ranges[0].first < part.ranges[0].first)
      text.unknown("an invalid range");
    part.ranges[0].second = last.ranges[0].first;
    return part;
  }
};

} // namespace

CharacterTree parseBracket(ExpressionText &text) {
  return BracketParser(text).parse();
}

/// The class that a letter after a backslash stands for; in upper case, it is
/// the complement.
static std::optional<CharacterClass> classOfLetter(char32_t lower) {
  switch (lower) {
  case 's':
    return spaceClass();
  case 'd':
    return digitClass();
  case 'w':
    return wordClass();
  case 'h':
    return hexClass();
  default:
    return std::nullopt;
  }
}

/// The control characters that are written as letters after a backslash.
static constexpr std::u32string_view controlLetters = U"nrtfvae",
                                     controls = U"\n\r\t\f\v\a\x1b";

CharacterClass parseEscape(ExpressionText &text) {
  if (text.atEnd())
    text.unknown("a '\\' before nothing");
  const size_t begin = text.position();
  const char32_t code = text.take();
  const bool isUpper = code >= 'A' && code <= 'Z';
  if (auto own = classOfLetter(isUpper ? code - 'A' + 'a' : code))
    return negatedIf(isUpper, *own);
  if (size_t at = controlLetters.find(code); at != controlLetters.npos)
    return onlyCharacter(controls[at]);
  switch (code) {
  case 'p':
  case 'P':
    return bracedProperty(text, code == 'P');
  case 'x':
    return hexadecimal(text, 2);
  case 'u':
    return hexadecimal(text, 4);
  case '0':
    return onlyCharacter(digits(text, 2, 8).value_or(0));
  default:
    if ((code >= '1' && code <= '9') || (code >= 'a' && code <= 'z') ||
        (code >= 'A' && code <= 'Z')) {
      text.goBackTo(begin);
      text.unknown("this escape");
    }
    return onlyCharacter(code);
  }
}

} // namespace transfold::tokenizer
