// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/PatternParser.h"

#include "runtime/Error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transfold::tokenizer {

using runtime::CharacterClass;
using runtime::CharacterSet;
using runtime::fail;
using runtime::Pattern;

namespace {

constexpr size_t maximumDepth = 32;
constexpr size_t maximumInstructions = 20000;

struct Property {
  std::u32string_view name;
  uint32_t categories;
};

constexpr uint32_t bits(unsigned first, unsigned last) {
  return ((2u << (last - first)) - 1) << first;
}
/// General categories as utf8proc numbers them.
constexpr Property properties[] = {
    {U"L", bits(1, 5)},    {U"Lu", bits(1, 1)},   {U"Ll", bits(2, 2)},
    {U"Lt", bits(3, 3)},   {U"Lm", bits(4, 4)},   {U"Lo", bits(5, 5)},
    {U"M", bits(6, 8)},    {U"Mn", bits(6, 6)},   {U"Mc", bits(7, 7)},
    {U"Me", bits(8, 8)},   {U"N", bits(9, 11)},   {U"Nd", bits(9, 9)},
    {U"Nl", bits(10, 10)}, {U"No", bits(11, 11)}, {U"P", bits(12, 18)},
    {U"Pc", bits(12, 12)}, {U"Pd", bits(13, 13)}, {U"Ps", bits(14, 14)},
    {U"Pe", bits(15, 15)}, {U"Pi", bits(16, 16)}, {U"Pf", bits(17, 17)},
    {U"Po", bits(18, 18)}, {U"S", bits(19, 22)},  {U"Sm", bits(19, 19)},
    {U"Sc", bits(20, 20)}, {U"Sk", bits(21, 21)}, {U"So", bits(22, 22)},
    {U"Z", bits(23, 25)},  {U"Zs", bits(23, 23)}, {U"Zl", bits(24, 24)},
    {U"Zp", bits(25, 25)}, {U"Cc", bits(26, 26)}, {U"Cf", bits(27, 27)}};

constexpr uint32_t digits = bits(9, 9);
/// \w: letters, marks, decimal digits, connectors.
constexpr uint32_t wordCategories = bits(1, 9) | bits(12, 12);

/// Scripts in whose ideographs and syllables expressions are interested.
struct Script {
  std::u32string_view name;
  std::pair<char32_t, char32_t> ranges[12];
};
constexpr Script scripts[] = {{U"Han",
                               {{0x2e80, 0x2e99},
                                {0x2e9b, 0x2ef3},
                                {0x2f00, 0x2fd5},
                                {0x3005, 0x3005},
                                {0x3007, 0x3007},
                                {0x3021, 0x3029},
                                {0x3038, 0x303b},
                                {0x3400, 0x4dbf},
                                {0x4e00, 0x9fff},
                                {0xf900, 0xfad9},
                                {0x16ff0, 0x16ff1},
                                {0x20000, 0x323af}}}};

CharacterClass only(char32_t code) {
  CharacterClass set;
  set.ranges = {{code, code}};
  return set;
}

CharacterClass ofCategories(uint32_t categories, bool negated) {
  CharacterClass set;
  set.categories = categories;
  set.negated = negated;
  return set;
}

} // namespace

Pattern regex(const std::string &expression) {
  return PatternParser(expression).parse();
}

Pattern literal(const std::string &text) {
  return PatternParser(text).parseLiteral();
}

PatternParser::PatternParser(const std::string &expression)
    : expression(expression) {
  for (const runtime::Character &character : runtime::decodeUtf8(expression))
    text += character.code;
}

Pattern PatternParser::parseLiteral() {
  for (char32_t code : text)
    append(pattern.program, matching(only(code)));
  pattern.program.push_back({Instruction::Found});
  return std::move(pattern);
}

Pattern PatternParser::parse() {
  pattern.program = alternatives();
  if (!atEnd())
    unknown("a ')' that closes nothing");
  pattern.program.push_back({Instruction::Found});
  return std::move(pattern);
}

void PatternParser::unknown(const char *what) const {
  fail("the regular expression '{}' is not supported: {} at "
       "character {}; `eval` takes ids instead of text",
       expression, what, at + 1);
}

bool PatternParser::accept(std::u32string_view what) {
  if (!std::u32string_view(text).substr(at).starts_with(what))
    return false;
  at += what.size();
  return true;
}

void PatternParser::append(Code &to, const Code &code) const {
  auto shift = static_cast<uint32_t>(to.size());
  if (to.size() + code.size() > maximumInstructions)
    unknown("too much of it");
  for (Instruction instruction : code) {
    if (instruction.kind != Instruction::Set) {
      instruction.a += shift;
      instruction.b += shift;
    }
    to.push_back(instruction);
  }
}

PatternParser::Code PatternParser::alternatives() {
  if (++depth > maximumDepth)
    unknown("too many nested groups");
  std::vector<Code> all{sequence()};
  while (accept(U"|"))
    all.push_back(sequence());
  --depth;
  Code code = std::move(all.back());
  all.pop_back();
  // From the last to the first: "this one, or else what follows".
  for (; !all.empty(); all.pop_back()) {
    auto first = static_cast<uint32_t>(all.back().size());
    Code either{{Instruction::Split, 1, first + 2}};
    append(either, all.back());
    either.push_back(
        {Instruction::Jump, first + 2 + static_cast<uint32_t>(code.size())});
    append(either, code);
    code = std::move(either);
  }
  return code;
}

PatternParser::Code PatternParser::sequence() {
  Code code;
  while (!atEnd() && text[at] != '|' && text[at] != ')')
    append(code, repeated());
  return code;
}

PatternParser::Code PatternParser::repeated() {
  Code code = single();
  size_t counts = 0; // "a*+*+*+": each is a group around the one before
  while (std::optional<Times> count = times()) {
    if (++counts > maximumDepth)
      unknown("too many counts of counts");
    bool lazy = accept(U"?");
    code = repeat(code, *count, lazy);
    // A plus behind a count in braces repeats that, behind others it means
    // that they give nothing back.
    if (!lazy && text[at - 1] != '}' && accept(U"+")) {
      Code atomic{
          {Instruction::Atomic, static_cast<uint32_t>(code.size()) + 1}};
      append(atomic, code);
      code = std::move(atomic);
    }
  }
  return code;
}

std::optional<PatternParser::Times> PatternParser::times() {
  if (accept(U"?"))
    return Times{0, 1};
  if (accept(U"*"))
    return Times{0, unlimited};
  if (accept(U"+"))
    return Times{1, unlimited};
  return counted();
}

std::optional<PatternParser::Times> PatternParser::counted() {
  if (!accept(U"{"))
    return std::nullopt;
  Times count{number(), unlimited};
  if (!accept(U","))
    count.most = count.least;
  else if (!atEnd() && text[at] != '}')
    count.most = number();
  if (!accept(U"}") || count.most < count.least)
    unknown("a count that is none");
  return count;
}

size_t PatternParser::number() {
  size_t begin = at, value = 0;
  while (!atEnd() && text[at] >= '0' && text[at] <= '9' && value < 1000)
    value = 10 * value + (text[at++] - '0');
  if (at == begin || value >= 1000)
    unknown("a count that is none");
  return value;
}

PatternParser::Code PatternParser::repeat(const Code &code, Times times,
                                          bool lazy) const {
  auto split = [&](uint32_t more, uint32_t done) {
    return lazy ? Instruction{Instruction::Split, done, more}
                : Instruction{Instruction::Split, more, done};
  };
  auto size = static_cast<uint32_t>(code.size());
  Code result;
  for (size_t i = 0; i < times.least; ++i)
    append(result, code);
  if (times.most == unlimited) {
    Code loop{split(1, size + 2)};
    append(loop, code);
    loop.push_back({Instruction::Jump, 0});
    append(result, loop);
    return result;
  }
  // Each further time is optional, inside the one before.
  Code optional;
  for (size_t i = times.least; i < times.most; ++i) {
    auto inner = static_cast<uint32_t>(optional.size());
    Code outer{split(1, 1 + size + inner)};
    append(outer, code);
    append(outer, optional);
    optional = std::move(outer);
  }
  append(result, optional);
  return result;
}

PatternParser::Code PatternParser::matching(CharacterSet set) {
  set.anyCase = anyCase;
  pattern.sets.push_back(std::move(set));
  return {{Instruction::Set, static_cast<uint32_t>(pattern.sets.size() - 1)}};
}

PatternParser::Code PatternParser::matching(CharacterClass one) {
  CharacterSet set;
  // The set is negated and not the class, since case is ignored in between.
  set.negated = std::exchange(one.negated, false);
  set.own = std::move(one);
  return matching(std::move(set));
}

PatternParser::Code PatternParser::single() {
  if (accept(U"("))
    return group();
  if (accept(U"["))
    return matching(bracket());
  if (accept(U"\\A"))
    return {{Instruction::Start}};
  if (accept(U"\\z"))
    return {{Instruction::End}};
  if (accept(U"\\"))
    return matching(escape());
  if (accept(U".")) {
    CharacterClass set = only('\n');
    set.negated = true;
    return matching(std::move(set));
  }
  if (std::u32string_view(U"^$*+?{").find(text[at]) !=
      std::u32string_view::npos)
    unknown("this");
  return matching(only(text[at++]));
}

PatternParser::Code PatternParser::group() {
  bool outerCase = anyCase;
  std::optional<Instruction::Kind> kind;
  if (accept(U"?i:"))
    anyCase = true;
  else if (accept(U"?="))
    kind = Instruction::Ahead;
  else if (accept(U"?!"))
    kind = Instruction::NoAhead;
  else if (accept(U"?>"))
    kind = Instruction::Atomic;
  else if (!accept(U"?:") && !atEnd() && text[at] == '?')
    unknown("this kind of group");
  Code code = alternatives();
  if (!accept(U")"))
    unknown("a '(' without its ')'");
  anyCase = outerCase;
  if (!kind)
    return code;
  Code whole{{*kind, static_cast<uint32_t>(code.size()) + 1}};
  append(whole, code);
  return whole;
}

CharacterSet PatternParser::bracket() {
  CharacterSet set;
  set.negated = accept(U"^");
  for (bool first = true; !accept(U"]"); first = false) {
    if (atEnd())
      unknown("a '[' without its ']'");
    if (text[at] == '[' || (!first && accept(U"&&")))
      unknown("a set in a set");
    CharacterClass part = accept(U"\\") ? escape() : only(text[at++]);
    bool oneCharacter = part.ranges.size() == 1 && !part.negated &&
                        part.ranges[0].first == part.ranges[0].second;
    if (oneCharacter && at + 1 < text.size() && text[at] == '-' &&
        text[at + 1] != ']') {
      ++at;
      CharacterClass last = accept(U"\\") ? escape() : only(text[at++]);
      if (last.ranges.size() != 1 ||
          last.ranges[0].first < part.ranges[0].first)
        unknown("a range that is none");
      part.ranges[0].second = last.ranges[0].first;
    }
    if (part.negated || part.space || part.categories)
      set.others.push_back(std::move(part));
    else
      set.own.ranges.insert(set.own.ranges.end(), part.ranges.begin(),
                            part.ranges.end());
  }
  return set;
}

/// What follows a backslash.
CharacterClass PatternParser::escape() {
  if (atEnd())
    unknown("a '\\' before nothing");
  char32_t code = text[at++];
  switch (code) {
  case 's':
  case 'S': {
    CharacterClass set;
    set.space = true;
    set.negated = code == 'S';
    return set;
  }
  case 'd':
  case 'D':
    return ofCategories(digits, code == 'D');
  case 'w':
  case 'W':
    return ofCategories(wordCategories, code == 'W');
  case 'p':
  case 'P':
    return property(code == 'P');
  case 'n':
    return only('\n');
  case 'r':
    return only('\r');
  case 't':
    return only('\t');
  case 'f':
    return only('\f');
  case 'v':
    return only('\v');
  case 'x':
  case 'u':
    return only(hexadecimal());
  default:
    if ((code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
        (code >= 'A' && code <= 'Z'))
      unknown("this escape");
    return only(code);
  }
}

/// "{L}", "{^L}"
CharacterClass PatternParser::property(bool negated) {
  size_t end = text.find(U'}', at);
  if (!accept(U"{") || end == text.npos)
    unknown("a property without braces");
  if (accept(U"^"))
    negated = !negated;
  std::u32string_view name = std::u32string_view(text).substr(at, end - at);
  for (const Property &property : properties)
    if (property.name == name) {
      at = end + 1;
      return ofCategories(property.categories, negated);
    }
  for (const Script &script : scripts)
    if (script.name == name) {
      at = end + 1;
      CharacterClass set;
      set.ranges.assign(std::begin(script.ranges), std::end(script.ranges));
      set.negated = negated;
      return set;
    }
  unknown("this property");
}

/// "41" behind \x, "0041" behind \u, or in braces.
char32_t PatternParser::hexadecimal() {
  bool braces = accept(U"{");
  size_t digits = braces ? 6 : text[at - 1] == 'u' ? 4 : 2;
  char32_t code = 0;
  size_t read = 0;
  for (; read < digits && !atEnd(); ++read, ++at) {
    char32_t digit = text[at] | 0x20;
    if (text[at] >= '0' && text[at] <= '9')
      code = 16 * code + (text[at] - '0');
    else if (digit >= 'a' && digit <= 'f')
      code = 16 * code + (digit - 'a' + 10);
    else
      break;
  }
  if (read == 0 || (braces && !accept(U"}")) || code > 0x10ffff)
    unknown("this character");
  return code;
}

} // namespace transfold::tokenizer
