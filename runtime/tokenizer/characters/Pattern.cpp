// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backtracking machine, since tokenizers define their splits by the semantics
// of such engines: of several possible matches, the order of alternatives
// decides. A budget of steps bounds the time that a malicious expression can
// take.

#include "runtime/tokenizer/characters/Pattern.h"

#include "base/Error.h"
#include "runtime/tokenizer/tables/Tables.h"

#include <utf8proc.h>

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

namespace {

/// A code point in the type that utf8proc expects.
utf8proc_int32_t utf8procCode(char32_t code) {
  return static_cast<utf8proc_int32_t>(code);
}

/// Case folding: equal for characters that differ only in case.
char32_t folded(char32_t code) {
  return static_cast<char32_t>(
      utf8proc_tolower(utf8proc_toupper(utf8procCode(code))));
}

} // namespace

bool CharacterClass::contains(char32_t code) const {
  auto after = std::ranges::upper_bound(
      ranges, code, {}, [](const auto &range) { return range.first; });
  bool found =
      (after != ranges.begin() && code <= std::prev(after)->second) ||
      (categories &&
       ((categories >> utf8proc_category(utf8procCode(code))) & 1) != 0) ||
      (space && isWhitespace(code));
  return found != negated;
}

bool CharacterSet::containsAsIs(char32_t code) const {
  return own.contains(code) ||
         std::ranges::any_of(others, [&](const CharacterClass &other) {
           return other.contains(code);
         });
}

bool CharacterSet::contains(char32_t code) const {
  bool found = containsAsIs(code);
  if (!found && anyCase) {
    char32_t lower = folded(code);
    found = containsAsIs(lower) || containsAsIs(static_cast<char32_t>(
                                       utf8proc_toupper(utf8procCode(lower))));
  }
  return found != negated;
}

void Pattern::check() const {
  if (program.empty() || program.back().kind != Instruction::Found)
    damagedTables("have an expression without an end");
  if (marks > program.size())
    damagedTables("have an expression with too many marks");
  for (const Instruction &instruction : program) {
    if (instruction.kind > Instruction::Found ||
        (instruction.hasSet() && instruction.a >= sets.size()) ||
        (instruction.hasMark() && instruction.b >= marks) ||
        (instruction.hasTarget() && instruction.a >= program.size()) ||
        (instruction.kind == Instruction::Split &&
         instruction.b >= program.size()))
      damagedTables("have an expression that leaves itself");
  }
}

/// The matching of one text: a backtracking machine. Choices are kept on an
/// explicit stack, since texts are long.
class Pattern::Run {
public:
  Run(const Pattern &pattern, std::span<const Character> text)
      : pattern(pattern), text(text), marks(pattern.marks),
        budget(256 * (text.size() + 256)),
        mostChoices(16 * (text.size() + 256)) {}

  /// The end of a match that begins at `begin`.
  std::optional<size_t> match(size_t begin) {
    return run(0, begin, pattern.program.size(), anywhere);
  }

private:
  /// Continue at `instruction`; or, when backtracking, restore the old position
  /// of `mark`.
  struct Choice {
    uint32_t instruction;
    size_t at;
    uint32_t mark = none;
    static constexpr uint32_t none = UINT32_MAX;
  };

  /// The next instruction, and the place in the text.
  struct Position {
    uint32_t instruction;
    size_t at;
  };

  const Pattern &pattern;
  std::span<const Character> text;
  std::vector<Choice> choices;
  std::vector<size_t> marks;
  // Reasonable expressions need only a few per character.
  size_t budget; // remaining number of steps
  size_t mostChoices;
  /// Nesting depth of expressions; the parser allows less.
  static constexpr size_t deepest = 2000;
  size_t depth = 0;
  /// Pseudo-instruction after a match that ends at a wrong position.
  static constexpr Instruction otherEnd{Instruction::Found};
  /// Value of `last` if a match may end anywhere.
  static constexpr size_t anywhere = SIZE_MAX;

  [[noreturn]] static void takesTooLong() {
    fail("a regular expression of the tokenizer takes too long on this text");
  }

  /// Runs a nested expression, with a choice stack of its own above that of the
  /// outer one.
  std::optional<size_t> runInside(uint32_t start, size_t at, size_t end,
                                  size_t last = anywhere) {
    if (++depth > deepest)
      takesTooLong();
    auto found = run(start, at, end, last);
    --depth;
    return found;
  }

  /// Whether a text that ends at `at` matches; shorter lengths are tried first.
  bool isBehind(uint32_t here, size_t at) {
    const Instruction &instruction = pattern.program[here];
    const size_t least = instruction.b >> 16, most = instruction.b & 0xffff;
    for (size_t length = least; length <= std::min(most, at); ++length)
      if (runInside(here + 1, at - length, instruction.a, at))
        return true;
    return false;
  }

  bool isEnd(size_t at) const { return at == text.size(); }
  bool isLineBreak(size_t at) const { return text[at].code == '\n'; }
  bool isIn(uint32_t set, size_t at) const {
    return at < text.size() && pattern.sets[set].contains(text[at].code);
  }

  /// Evaluates an instruction that only tests the position.
  bool holds(const Instruction &instruction, size_t at) const {
    switch (instruction.kind) {
    case Instruction::Start:
      return at == 0;
    case Instruction::End:
      return isEnd(at);
    case Instruction::LineStart:
      return at == 0 || (isLineBreak(at - 1) && !isEnd(at));
    case Instruction::LineEnd:
      return isEnd(at) || isLineBreak(at);
    case Instruction::LastLineEnd:
      return isEnd(at) || (isLineBreak(at) && isEnd(at + 1));
    default: { // WordEdge, NoWordEdge
      const bool before = at > 0 && isIn(instruction.a, at - 1);
      return (before != isIn(instruction.a, at)) ==
             (instruction.kind == Instruction::WordEdge);
    }
    }
  }

  /// Executes an instruction other than Set, Split and Jump. Returns the
  /// position at which the match continues; nullopt if the instruction does not
  /// match. Throws Error if an expression inside it takes too long.
  std::optional<Position> runOther(const Instruction &instruction,
                                   uint32_t here, size_t at) {
    bool fits = false;
    switch (instruction.kind) {
    case Instruction::Mark:
      choices.push_back({0, marks[instruction.b], instruction.b});
      marks[instruction.b] = at;
      return Position{here + 1, at};
    case Instruction::Moved:
      return Position{marks[instruction.b] == at ? instruction.a : here + 1,
                      at};
    case Instruction::Ahead:
    case Instruction::NoAhead:
      fits = runInside(here + 1, at, instruction.a).has_value() ==
             (instruction.kind == Instruction::Ahead);
      here = instruction.a;
      break;
    case Instruction::Behind:
    case Instruction::NoBehind:
      fits = isBehind(here, at) == (instruction.kind == Instruction::Behind);
      here = instruction.a;
      break;
    case Instruction::Atomic: {
      auto found = runInside(here + 1, at, instruction.a);
      fits = found.has_value();
      at = found.value_or(at);
      here = instruction.a;
      break;
    }
    case Instruction::Found: // found, but not at the required end
      return std::nullopt;
    default:
      fits = holds(instruction, at);
      ++here;
      break;
    }
    return fits ? std::optional(Position{here, at}) : std::nullopt;
  }

  /// Backtracks: restores marks up to the last choice, and removes and returns
  /// it. Returns nullopt if only `floor` choices are left.
  std::optional<Choice> takeChoice(size_t floor) {
    for (; choices.size() > floor && choices.back().mark != Choice::none;
         choices.pop_back())
      marks[choices.back().mark] = choices.back().at;
    if (choices.size() == floor)
      return std::nullopt;
    Choice choice = choices.back();
    choices.pop_back();
    return choice;
  }

  /// Runs from `start` to an instruction `Found` or to `end`; the match must
  /// end at `last` in the text.
  std::optional<size_t> run(uint32_t start, size_t at, size_t end,
                            size_t last) {
    size_t floor = choices.size();
    uint32_t here = start;
    while (true) {
      if (budget-- == 0 || choices.size() > mostChoices)
        takesTooLong();
      bool fits = true;
      const bool isFound =
          here == end || pattern.program[here].kind == Instruction::Found;
      if (isFound && (last == anywhere || at == last)) {
        choices.resize(floor);
        return at;
      }
      const Instruction &instruction =
          isFound ? otherEnd : pattern.program[here];
      switch (instruction.kind) {
      case Instruction::Set:
        fits = isIn(instruction.a, at);
        ++at;
        ++here;
        break;
      case Instruction::Split:
        choices.push_back({instruction.b, at});
        here = instruction.a;
        break;
      case Instruction::Jump:
        here = instruction.a;
        break;
      default: {
        auto next = runOther(instruction, here, at);
        fits = next.has_value();
        if (next) {
          here = next->instruction;
          at = next->at;
        }
        break;
      }
      }
      if (fits)
        continue;
      auto choice = takeChoice(floor);
      if (!choice)
        return std::nullopt;
      here = choice->instruction;
      at = choice->at;
    }
  }
};

std::vector<Pattern::Match>
Pattern::matches(std::span<const Character> text) const {
  std::vector<Match> found;
  Run run(*this, text);
  size_t done = SIZE_MAX; // end of the last match
  for (size_t at = 0; at < text.size();) {
    auto end = run.match(at);
    if (end && (*end > at || at != done)) {
      found.push_back({at, *end});
      done = *end;
    }
    at = end && *end > at ? *end : at + 1;
  }
  return found;
}

} // namespace transfold::runtime::inline tokenizer
