// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent parser for regular expressions that makes instructions
// directly, without a tree: each rule returns the code of what it parsed.

#include "compiler/tokenizer/pattern/PatternParser.h"

#include "compiler/tokenizer/pattern/CharacterParser.h"
#include "compiler/tokenizer/pattern/Code.h"
#include "compiler/tokenizer/pattern/Properties.h"

#include <optional>
#include <utility>

namespace transfold::tokenizer {

using runtime::CharacterClass;
using runtime::CharacterSet;
using runtime::Pattern;
using Instruction = Pattern::Instruction;

namespace {

/// The limit for nested groups, and for repetitions of repetitions.
constexpr size_t deepestPattern = 32;
/// The limit for sets that require testing each character of Unicode
/// (CharacterTree.h).
constexpr size_t maximumNestedSets = 32;

/// The parser of one expression, or of a literal text.
class Parser {
public:
  explicit Parser(const std::string &expression) : text(expression) {}

  Pattern parse() {
    pattern.program = alternatives();
    if (!text.atEnd())
      text.unknown("a ')' that closes nothing");
    return finish();
  }

  Pattern parseLiteral() {
    while (!text.atEnd())
      add(pattern.program, matching(onlyCharacter(text.take())));
    return finish();
  }

private:
  /// The options that "(?imx)" changes, up to the end of its group.
  struct Options {
    bool anyCase = false;
    bool dotIsAny = false; // also the end of a line
    bool spaced = false;   // spaces and comments are ignored
  };

  ExpressionText text;
  Options options;
  size_t depth = 0, nestedSets = 0;
  Pattern pattern;

  Pattern finish() {
    pattern.program.push_back({Instruction::Found});
    return std::move(pattern);
  }

  /// Throws Error if the expression became too long.
  void need(bool fits) const {
    if (!fits)
      text.unknown("its length");
  }
  void add(Code &to, const Code &code) const { need(append(to, code)); }

  Code alternatives() {
    if (++depth > deepestPattern)
      text.unknown("too many nested groups");
    std::vector<Code> all{sequence()};
    while (text.accept(U"|"))
      all.push_back(sequence());
    --depth;
    Code code;
    need(alternativesOf(std::move(all), code));
    return code;
  }

  Code sequence() {
    Code code;
    while (true) {
      skipSpaces();
      if (text.atEnd() || text.peek() == '|' || text.peek() == ')')
        return code;
      add(code, counted());
    }
  }

  /// Skips what the option `spaced` ignores.
  void skipSpaces() {
    while (options.spaced && !text.atEnd())
      if (text.accept(U"#")) {
        while (!text.atEnd() && !text.accept(U"\n"))
          text.take();
      } else if (std::u32string_view(U" \t\n\r\f\v").find(text.peek()) !=
                 std::u32string_view::npos) {
        text.take();
      } else {
        return;
      }
  }

  /// Parses one item with its repetition counts.
  Code counted() {
    Code code = single();
    // "a*+*+*+": each count applies to a group around the previous one.
    for (size_t counts = 0;; ++counts) {
      skipSpaces();
      bool isInterval = false, isFixed = false;
      std::optional<Times> count = times(isInterval, isFixed);
      if (!count)
        return code;
      if (counts == deepestPattern)
        text.unknown("too many nested repetitions");
      // "a{2}?" is an optional "a{2}".
      const bool lazy = !isFixed && text.accept(U"?");
      Code whole;
      need(repeated(code, *count, lazy, pattern.marks, whole));
      code = std::move(whole);
      // After a count in braces, a plus repeats the group; after other counts
      // it makes them possessive.
      if (!lazy && !isInterval && text.accept(U"+"))
        code = within(Instruction::Atomic, code);
    }
  }

  std::optional<Times> times(bool &isInterval, bool &isFixed) {
    if (text.accept(U"?"))
      return Times{0, 1};
    if (text.accept(U"*"))
      return Times{0, Times::unlimited};
    if (text.accept(U"+"))
      return Times{1, Times::unlimited};
    isInterval = true;
    return interval(isFixed);
  }

  /// Parses "{2}", "{2,}", "{,3}", "{2,3}"; nullopt if the brace is literal.
  std::optional<Times> interval(bool &isFixed) {
    const size_t begin = text.position();
    if (!text.accept(U"{"))
      return std::nullopt;
    std::optional<size_t> least = number(), most;
    isFixed = !text.accept(U",");
    if (!isFixed)
      most = number();
    if ((!least && !most) || !text.accept(U"}")) {
      text.goBackTo(begin);
      return std::nullopt;
    }
    Times count{least.value_or(0),
                isFixed ? *least : most.value_or(Times::unlimited)};
    if (count.most < count.least)
      text.unknown("an invalid count");
    return count;
  }

  std::optional<size_t> number() {
    std::optional<size_t> value;
    while (text.peek() >= '0' && text.peek() <= '9') {
      value = 10 * value.value_or(0) + (text.take() - '0');
      if (*value >= 1000)
        text.unknown("a count that is too large");
    }
    return value;
  }

  Code matching(const CharacterTree &set) {
    if (isNested(set) && ++nestedSets > maximumNestedSets)
      text.unknown("too many nested sets");
    pattern.sets.push_back(characterSet(set, options.anyCase));
    return {{Instruction::Set, static_cast<uint32_t>(pattern.sets.size() - 1)}};
  }

  Code matching(CharacterClass one) {
    CharacterTree set;
    // The set is negated and not the class, because case is ignored in between.
    set.negated = std::exchange(one.negated, false);
    set.add(std::move(one));
    return matching(set);
  }

  Code single() {
    if (text.accept(U"("))
      return group();
    if (text.accept(U"["))
      return matching(parseBracket(text));
    if (text.accept(U"^"))
      return {{Instruction::LineStart}};
    if (text.accept(U"$"))
      return {{Instruction::LineEnd}};
    if (text.accept(U"."))
      return options.dotIsAny ? any() : notTheEndOfALine();
    if (text.accept(U"\\"))
      return escaped();
    if (std::u32string_view(U"*+?").find(text.peek()) !=
        std::u32string_view::npos)
      text.unknown("a repetition of nothing");
    return matching(onlyCharacter(text.take()));
  }

  Code any() { return matching(*property(U"any")); }

  Code notTheEndOfALine() {
    CharacterClass set = onlyCharacter('\n');
    set.negated = true;
    return matching(std::move(set));
  }

  /// Parses what follows a backslash outside of a set.
  Code escaped() {
    if (text.accept(U"A"))
      return {{Instruction::Start}};
    if (text.accept(U"z"))
      return {{Instruction::End}};
    if (text.accept(U"Z"))
      return {{Instruction::LastLineEnd}};
    if (text.accept(U"b"))
      return wordEdge(Instruction::WordEdge);
    if (text.accept(U"B"))
      return wordEdge(Instruction::NoWordEdge);
    if (text.accept(U"N"))
      return notTheEndOfALine();
    if (text.accept(U"O"))
      return any();
    if (text.accept(U"R"))
      return lineBreak();
    return matching(parseEscape(text));
  }

  Code wordEdge(Instruction::Kind kind) {
    Code code = matching(wordClass());
    code[0].kind = kind;
    return code;
  }

  /// (?>\r\n|[\n-\r\x{85}\x{2028}\x{2029}])
  Code lineBreak() {
    Code both = matching(onlyCharacter('\r'));
    add(both, matching(onlyCharacter('\n')));
    CharacterClass one;
    one.ranges = {{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};
    Code either;
    need(alternativesOf({std::move(both), matching(std::move(one))}, either));
    return within(Instruction::Atomic, either);
  }

  Code within(Instruction::Kind kind, const Code &code, uint32_t b = 0) const {
    Code whole;
    need(inside(kind, code, whole, b));
    return whole;
  }

  /// Parses what follows a '('.
  Code group() {
    const Options outer = options;
    Code code;
    if (text.accept(U"?=")) {
      code = within(Instruction::Ahead, alternatives());
    } else if (text.accept(U"?!")) {
      code = within(Instruction::NoAhead, alternatives());
    } else if (text.accept(U"?>")) {
      code = within(Instruction::Atomic, alternatives());
    } else if (text.accept(U"?<=")) {
      code = behind(Instruction::Behind, alternatives());
    } else if (text.accept(U"?<!")) {
      code = behind(Instruction::NoBehind, alternatives());
    } else if (text.accept(U"?#")) {
      if (!text.takeUntil(U")"))
        text.unknown("a '(' without its ')'");
      return {};
    } else if (text.peek() != '?' || text.accept(U"?:")) {
      code = alternatives();
    } else if (text.accept(U"?<")) { // a name, which nothing refers to
      if (std::optional<std::u32string_view> name = text.takeUntil(U">");
          !name || name->empty())
        text.unknown("a group without its name");
      code = alternatives();
    } else {
      text.take();
      // "(?i)" applies up to the end of the enclosing group
      if (!changeOptions()) {
        code = alternatives();
        options = outer;
        return code;
      }
      code = alternatives();
    }
    if (!text.accept(U")"))
      text.unknown("a '(' without its ')'");
    options = outer;
    return code;
  }

  /// Parses "i-mx:" or "i)"; returns whether a group follows.
  bool changeOptions() {
    for (bool value = true;;) {
      if (text.accept(U"i"))
        options.anyCase = value;
      else if (text.accept(U"m"))
        options.dotIsAny = value;
      else if (text.accept(U"x"))
        options.spaced = value;
      else if (value && text.accept(U"-"))
        value = false;
      else if (text.accept(U":"))
        return true;
      else if (text.accept(U")"))
        return false;
      else
        text.unknown("this kind of group");
    }
  }

  Code behind(Instruction::Kind kind, const Code &code) const {
    const Times length = lengthOf(code);
    if (length.most > Pattern::furthestBehind)
      text.unknown("a look-behind of variable length");
    return within(kind, code,
                  Pattern::behindLengths(static_cast<uint32_t>(length.least),
                                         static_cast<uint32_t>(length.most)));
  }
};

} // namespace

Pattern regex(const std::string &expression) {
  return Parser(expression).parse();
}

Pattern literal(const std::string &text) { return Parser(text).parseLiteral(); }

} // namespace transfold::tokenizer
