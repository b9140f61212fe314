// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named classes as combinations of general categories, which the runtime looks
// up, and of ranges for what the categories do not imply.

#include "compiler/tokenizer/pattern/Properties.h"

#include "compiler/tokenizer/pattern/UnicodeTables.h"

#include <algorithm>
#include <initializer_list>

namespace transfold::tokenizer {

using runtime::CharacterClass;

namespace {

/// The bits of the general categories `first` to `last`, as utf8proc numbers
/// them.
constexpr uint32_t bits(unsigned first, unsigned last) {
  return ((2u << (last - first)) - 1) << first;
}
constexpr uint32_t bit(unsigned category) { return bits(category, category); }

/// Groups of general categories.
constexpr uint32_t letters = bits(1, 5), marks = bits(6, 8),
                   decimalDigits = bit(9), letterNumbers = bit(10),
                   connectors = bit(12), punctuation = bits(12, 18),
                   symbols = bits(19, 22), spaceSeparators = bit(23),
                   control = bit(26), surrogates = bit(28), unassigned = bit(0);

/// A name of \p{…} with its long form, in lower case and without separators.
struct Category {
  std::u32string_view name, longName;
  uint32_t categories;
};
constexpr Category categories[] = {{U"l", U"letter", letters},
                                   {U"lu", U"uppercaseletter", bit(1)},
                                   {U"ll", U"lowercaseletter", bit(2)},
                                   {U"lt", U"titlecaseletter", bit(3)},
                                   {U"lc", U"casedletter", bits(1, 3)},
                                   {U"lm", U"modifierletter", bit(4)},
                                   {U"lo", U"otherletter", bit(5)},
                                   {U"m", U"mark", marks},
                                   {U"mn", U"nonspacingmark", bit(6)},
                                   {U"mc", U"spacingmark", bit(7)},
                                   {U"me", U"enclosingmark", bit(8)},
                                   {U"n", U"number", bits(9, 11)},
                                   {U"nd", U"decimalnumber", decimalDigits},
                                   {U"nl", U"letternumber", letterNumbers},
                                   {U"no", U"othernumber", bit(11)},
                                   {U"p", U"punctuation", punctuation},
                                   {U"pc", U"connectorpunctuation", connectors},
                                   {U"pd", U"dashpunctuation", bit(13)},
                                   {U"ps", U"openpunctuation", bit(14)},
                                   {U"pe", U"closepunctuation", bit(15)},
                                   {U"pi", U"initialpunctuation", bit(16)},
                                   {U"pf", U"finalpunctuation", bit(17)},
                                   {U"po", U"otherpunctuation", bit(18)},
                                   {U"s", U"symbol", symbols},
                                   {U"sm", U"mathsymbol", bit(19)},
                                   {U"sc", U"currencysymbol", bit(20)},
                                   {U"sk", U"modifiersymbol", bit(21)},
                                   {U"so", U"othersymbol", bit(22)},
                                   {U"z", U"separator", bits(23, 25)},
                                   {U"zs", U"spaceseparator", spaceSeparators},
                                   {U"zl", U"lineseparator", bit(24)},
                                   {U"zp", U"paragraphseparator", bit(25)},
                                   {U"c", U"other", bit(0) | bits(26, 29)},
                                   {U"cc", U"control", control},
                                   {U"cf", U"format", bit(27)},
                                   {U"cs", U"surrogate", surrogates},
                                   {U"co", U"privateuse", bit(29)},
                                   {U"cn", U"unassigned", unassigned}};

/// The characters of these categories and ranges.
CharacterClass classOf(uint32_t categories,
                       std::span<const CodeRange> ranges = {}) {
  CharacterClass set;
  set.categories = categories;
  set.ranges.assign(ranges.begin(), ranges.end());
  return set;
}

CharacterClass ofRanges(std::initializer_list<CodeRange> ranges) {
  return classOf(0, {ranges.begin(), ranges.size()});
}

/// The complement of a class that is not negated.
CharacterClass allBut(CharacterClass set) {
  set.negated = true;
  return set;
}

/// The property Alphabetic, and `more` categories.
CharacterClass alphabetic(uint32_t more = 0) {
  return classOf(letters | letterNumbers | more, otherAlphabeticRanges());
}

/// Visible characters and spaces: those of `graph`, and white space except
/// U+2028 and U+2029 (and control characters).
CharacterClass printable() {
  CharacterClass set = classOf(control | surrogates | unassigned);
  set.ranges = {{0x2028, 0x2029}};
  return allBut(set);
}

/// The class `graph`: neither white space nor control characters, surrogates or
/// unassigned code points.
CharacterClass visible() {
  CharacterClass set = classOf(control | surrogates | unassigned);
  set.space = true;
  return allBut(set);
}

/// The names that properties and POSIX classes have in common.
std::optional<CharacterClass> common(std::u32string_view name) {
  if (name == U"alnum")
    return alphabetic(decimalDigits);
  if (name == U"alpha")
    return alphabetic();
  if (name == U"ascii")
    return ofRanges({{0, 0x7f}});
  if (name == U"blank")
    return classOf(spaceSeparators, onlyCharacter('\t').ranges);
  if (name == U"cntrl")
    return classOf(control);
  if (name == U"digit")
    return digitClass();
  if (name == U"graph")
    return visible();
  if (name == U"lower")
    return classOf(bit(2), otherLowercaseRanges());
  if (name == U"print")
    return printable();
  if (name == U"space")
    return spaceClass();
  if (name == U"upper")
    return classOf(bit(1), otherUppercaseRanges());
  if (name == U"xdigit")
    return hexClass();
  return std::nullopt;
}

/// The name in lower case, without the characters that are ignored.
std::u32string normalized(std::u32string_view name) {
  std::u32string result;
  for (char32_t code : name)
    if (code != ' ' && code != '-' && code != '_')
      result += code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  return result;
}

} // namespace

CharacterClass onlyCharacter(char32_t code) { return ofRanges({{code, code}}); }

CharacterClass digitClass() { return classOf(decimalDigits); }

CharacterClass hexClass() {
  return ofRanges({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
}

CharacterClass spaceClass() {
  CharacterClass set;
  set.space = true;
  return set;
}

CharacterClass wordClass() {
  CharacterClass set = alphabetic(marks | decimalDigits | connectors);
  // Oniguruma counts the numbers of Latin-1 as parts of words, but no other
  // numbers that are not digits.
  set.ranges.insert(set.ranges.begin(),
                    {{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}});
  return set;
}

std::optional<CharacterClass> posixClass(std::u32string_view name) {
  if (name == U"punct")
    return classOf(punctuation | symbols);
  if (name == U"word")
    return alphabetic(marks | decimalDigits | connectors);
  return common(name);
}

std::optional<CharacterClass> property(std::u32string_view given) {
  const std::u32string name = normalized(given);
  for (const Category &category : categories)
    if (category.name == name || category.longName == name)
      return classOf(category.categories);
  if (std::span<const CodeRange> ranges = scriptRanges(name); !ranges.empty())
    return classOf(0, ranges);
  if (name == U"any")
    return ofRanges({{0, 0x10ffff}});
  if (name == U"assigned")
    return allBut(classOf(unassigned));
  if (name == U"punct")
    return classOf(punctuation);
  if (name == U"word")
    return wordClass();
  constexpr std::pair<std::u32string_view, std::u32string_view> others[] = {
      {U"alphabetic", U"alpha"},
      {U"lowercase", U"lower"},
      {U"uppercase", U"upper"},
      {U"whitespace", U"space"}};
  for (const auto &[longName, shortName] : others)
    if (name == longName)
      return common(shortName);
  return common(name);
}

} // namespace transfold::tokenizer
