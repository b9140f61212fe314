// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Pattern.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Tables.h"

#include <utf8proc.h>

#include <algorithm>

namespace transfold::runtime {

namespace {

utf8proc_int32_t utf8procCode(char32_t code) {
  return static_cast<utf8proc_int32_t>(code);
}

/// Equal for characters that differ in case only.
char32_t folded(char32_t code) {
  return static_cast<char32_t>(
      utf8proc_tolower(utf8proc_toupper(utf8procCode(code))));
}

} // namespace

bool CharacterClass::contains(char32_t code) const {
  auto isInRange = [&](const auto &range) {
    return code >= range.first && code <= range.second;
  };
  bool found =
      std::ranges::any_of(ranges, isInRange) ||
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
  for (const Instruction &instruction : program) {
    size_t targets = instruction.kind == Instruction::Set ? sets.size()
                     : instruction.kind < Instruction::Start
                         ? program.size()
                         : SIZE_MAX; // has none
    if (instruction.kind > Instruction::Found || instruction.a >= targets ||
        instruction.b >= program.size())
      damagedTables("have an expression that leaves itself");
  }
}

/// The matching of one text: a machine that goes back to the last choice where
/// it fails. Choices lie on a stack of our own, since texts are long.
class Pattern::Run {
public:
  Run(const Pattern &pattern, std::span<const Character> text)
      : pattern(pattern), text(text), budget(256 * (text.size() + 256)),
        mostChoices(16 * (text.size() + 256)) {}

  /// The end of a match that begins at `begin`.
  std::optional<size_t> match(size_t begin) {
    return run(0, begin, pattern.program.size());
  }

private:
  struct Choice {
    uint32_t instruction;
    size_t at;
  };

  const Pattern &pattern;
  std::span<const Character> text;
  std::vector<Choice> choices;
  // Sane expressions need a few for each character.
  size_t budget; // steps
  size_t mostChoices;
  /// Expressions in expressions: parsed ones are not so deep.
  static constexpr size_t deepest = 2000;
  size_t depth = 0;

  [[noreturn]] static void takesTooLong() {
    fail("a regular expression of the tokenizer takes too long on this text");
  }

  std::optional<size_t> runInside(uint32_t start, size_t at, size_t end) {
    if (++depth > deepest)
      takesTooLong();
    auto found = run(start, at, end);
    --depth;
    return found;
  }

  /// From `start` to an instruction `Found` or to `end`.
  std::optional<size_t> run(uint32_t start, size_t at, size_t end) {
    size_t floor = choices.size();
    uint32_t here = start;
    while (true) {
      if (budget-- == 0 || choices.size() > mostChoices)
        takesTooLong();
      bool fits = true;
      if (here == end || pattern.program[here].kind == Instruction::Found) {
        choices.resize(floor);
        return at;
      }
      const Instruction &instruction = pattern.program[here];
      switch (instruction.kind) {
      case Instruction::Set:
        fits = at < text.size() &&
               pattern.sets[instruction.a].contains(text[at].code);
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
      case Instruction::Ahead:
      case Instruction::NoAhead:
        fits = runInside(here + 1, at, instruction.a).has_value() ==
               (instruction.kind == Instruction::Ahead);
        here = instruction.a;
        break;
      case Instruction::Atomic: {
        auto found = runInside(here + 1, at, instruction.a);
        fits = found.has_value();
        at = found.value_or(at);
        here = instruction.a;
        break;
      }
      case Instruction::Start:
        fits = at == 0;
        ++here;
        break;
      case Instruction::End:
        fits = at == text.size();
        ++here;
        break;
      case Instruction::Found:
        break;
      }
      if (fits)
        continue;
      if (choices.size() == floor)
        return std::nullopt;
      here = choices.back().instruction;
      at = choices.back().at;
      choices.pop_back();
    }
  }
};

std::vector<Pattern::Match>
Pattern::matches(std::span<const Character> text) const {
  std::vector<Match> found;
  Run run(*this, text);
  size_t done = SIZE_MAX; // the end of the last match
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

} // namespace transfold::runtime
