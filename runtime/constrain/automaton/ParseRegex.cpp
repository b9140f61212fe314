// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser by recursive descent. What ECMA-262 has only for old web pages, such
// as a brace that begins no quantifier, is read as browsers read it.

#include "runtime/constrain/automaton/ParseRegex.h"

#include "base/text/Unicode.h"
#include "runtime/constrain/automaton/Regex.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

constexpr size_t deepestGroup = 100; // nesting of groups

using Kind = Regex::Kind;

class Parser {
public:
  Parser(std::string_view text, ConstraintBudget &budget)
      : source(text), budget(budget) {}

  Regex run() {
    regex.root = choice(0);
    if (!source.isOver())
      fail("has ')' at {} without '('", source.position());
    return std::move(regex);
  }

private:
  RegexSource source;
  ConstraintBudget &budget;
  Regex regex;

  uint32_t add(Regex::Node node) {
    budget.work();
    budget.memory(sizeof(Regex::Node) +
                  node.children.size() * sizeof(uint32_t) +
                  node.set.ranges().size() * sizeof(CodeRange));
    regex.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(regex.nodes.size() - 1);
  }

  uint32_t choice(size_t depth) {
    if (depth > deepestGroup)
      fail("is nested deeper than {} groups", deepestGroup);
    std::vector<uint32_t> ways = {sequence(depth)};
    while (source.take('|'))
      ways.push_back(sequence(depth));
    return ways.size() == 1
               ? ways[0]
               : add({.kind = Kind::Choice, .children = std::move(ways)});
  }

  uint32_t sequence(size_t depth) {
    std::vector<uint32_t> parts;
    while (!source.isOver() && source.peek() != '|' && source.peek() != ')')
      parts.push_back(repeated(depth));
    return parts.size() == 1
               ? parts[0]
               : add({.kind = Kind::Sequence, .children = std::move(parts)});
  }

  /// An atom with its quantifier.
  uint32_t repeated(size_t depth) {
    const size_t begin = source.position();
    const uint32_t result = atom(depth);
    auto quantifier = readQuantifier(source);
    if (!quantifier)
      return result;
    if (const Kind kind = regex.nodes[result].kind;
        kind == Kind::Begin || kind == Kind::End)
      fail("repeats at {} what reads nothing", begin);
    source.take('?'); // lazy: matches the same texts
    if (readQuantifier(source))
      fail("has two quantifiers before {}", source.position());
    return add({.kind = Kind::Repeat,
                .children = {result},
                .least = quantifier->least,
                .most = quantifier->most});
  }

  uint32_t atom(size_t depth) {
    const size_t at = source.position();
    switch (const char32_t code = source.take()) {
    case '^':
      return add({.kind = Kind::Begin});
    case '$':
      return add({.kind = Kind::End});
    case '(':
      return group(depth);
    case '.':
      return addSet(lineCharacters());
    case '[':
      return addSet(readClass(source, budget));
    case '\\':
      return addSet(readEscape(source));
    case '*':
    case '+':
    case '?':
      fail("repeats nothing at {}", at);
    default:
      return addSet({{code, code}});
    }
  }

  uint32_t addSet(CodeSet set) {
    return add({.kind = Kind::Set, .set = std::move(set)});
  }

  /// What follows "(".
  uint32_t group(size_t depth) {
    const size_t at = source.position() - 1;
    if (source.take('?')) {
      source.take('P'); // (?P<name>…), as in Python
      const bool isNamed = source.take('<');
      if (isNamed && source.peek() != '=' && source.peek() != '!')
        while (source.take() != '>') {
        }
      else if (isNamed || !source.take(':'))
        fail("has a group at {} that is not supported: (?…) can be (?:…) or "
             "(?<name>…)",
             at);
    }
    const uint32_t result = choice(depth + 1);
    if (!source.take(')'))
      fail("has '(' at {} without ')'", at);
    return result;
  }
};

} // namespace

Regex parseRegex(std::string_view text, ConstraintBudget &budget) {
  budget.work(text.size());
  return Parser(text, budget).run();
}

} // namespace transfold::runtime::inline constrain
