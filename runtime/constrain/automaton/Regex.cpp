// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the tree of an expression to its automaton.

#include "runtime/constrain/automaton/Regex.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

/// Adds the nodes of an expression to an automaton.
class Emitter {
public:
  Emitter(const Regex &regex, TextForm form, Nfa &nfa, ConstraintBudget &budget)
      : regex(regex), form(form), nfa(nfa), budget(budget) {}

  /// The node that matches `id` and goes on at `next`.
  uint32_t emit(uint32_t id, uint32_t next) {
    budget.work();
    const Regex::Node &node = regex.nodes[id];
    switch (node.kind) {
    case Regex::Kind::Empty:
      return next;
    case Regex::Kind::Set:
      return nfa.character(node.set, form, next);
    case Regex::Kind::Sequence:
      for (size_t i = node.children.size(); i-- > 0;)
        next = emit(node.children[i], next);
      return next;
    case Regex::Kind::Choice: {
      uint32_t result = emit(node.children[0], next);
      for (size_t i = 1; i < node.children.size(); ++i)
        result = nfa.either(result, emit(node.children[i], next));
      return result;
    }
    case Regex::Kind::Repeat:
      return emitRepeat(node, next);
    case Regex::Kind::Begin:
      return nfa.atBegin(next);
    case Regex::Kind::End:
      return nfa.atEnd(next);
    }
    return next;
  }

  /// Reads any text.
  uint32_t anyText(uint32_t next) {
    const uint32_t loop = nfa.loop(next);
    nfa.setLoop(loop, nfa.character(CodeSet::all(), form, loop));
    return loop;
  }

private:
  const Regex &regex;
  const TextForm form;
  Nfa &nfa;
  ConstraintBudget &budget;

  uint32_t emitRepeat(const Regex::Node &node, uint32_t next) {
    const uint32_t child = node.children[0];
    if (node.most == Regex::unlimited) {
      const uint32_t loop = nfa.loop(next);
      nfa.setLoop(loop, emit(child, loop));
      next = loop;
    } else {
      const uint32_t exit = next;
      for (uint32_t i = node.least; i < node.most; ++i)
        next = nfa.either(emit(child, next), exit);
    }
    for (uint32_t i = 0; i < node.least; ++i)
      next = emit(child, next);
    return next;
  }
};

/// Whether a match can only begin at the beginning of the text.
bool beginsAtBegin(const Regex &regex, uint32_t id) {
  const Regex::Node &node = regex.nodes[id];
  switch (node.kind) {
  case Regex::Kind::Begin:
    return true;
  case Regex::Kind::Sequence:
    return !node.children.empty() && beginsAtBegin(regex, node.children[0]);
  case Regex::Kind::Choice:
    return std::ranges::all_of(node.children, [&](uint32_t child) {
      return beginsAtBegin(regex, child);
    });
  default:
    return false;
  }
}

} // namespace

Dfa regexDfa(std::string_view text, TextForm form, RegexMatch match,
             ConstraintBudget &budget) {
  const Regex regex = parseRegex(text, budget);
  Nfa nfa(budget);
  Emitter emitter(regex, form, nfa, budget);
  const uint32_t end = nfa.final();
  if (match == RegexMatch::Whole)
    return nfa.determinize(emitter.emit(regex.root, end));
  const uint32_t rest = emitter.anyText(end);
  uint32_t start = emitter.emit(regex.root, rest);
  if (!beginsAtBegin(regex, regex.root))
    start = emitter.anyText(start);
  return nfa.determinize(start, rest);
}

} // namespace transfold::runtime::inline constrain
