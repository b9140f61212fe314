// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must be known of a grammar before texts are matched: which rules can be
// completed, so that no text leads to where none can be; which can be empty;
// and an order of rules in which the callers of a rule come before it.

#include "runtime/constrain/grammar/Grammar.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

/// Whether the end of the rule can be reached from a node, given which of the
/// nodes after it and which rules can be passed; `reads`: by reading bytes.
bool Grammar::passes(const GrammarNode &node, const std::vector<bool> &passable,
                     bool Rule::*can, bool reads) const {
  switch (node.kind) {
  case Kind::End:
    return true;
  case Kind::Nothing:
    return false;
  case Kind::Automaton:
    return passable[node.next] && (reads || leaves[node.what].dfa.isNullable());
  case Kind::Repeat:
    return passable[node.next] && (reads || node.least == 0);
  case Kind::Call:
    return passable[node.next] && rules[node.what].*can;
  case Kind::Loop:
    return passable[node.next] && (node.least == 0 || rules[node.what].*can);
  case Kind::Choice:
    return std::ranges::any_of(waysOf(node),
                               [&](uint32_t way) { return passable[way]; });
  }
  return false;
}

/// Finds the nodes and rules for which passes() holds, beginning with none.
/// Nodes come after their successors, so that a pass settles all nodes for the
/// rules that are known; each pass but the last finds a rule.
void Grammar::findPassable(std::vector<bool> &passable, bool Rule::*can,
                           bool reads) {
  passable.assign(nodes.size(), false);
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    budget->work(nodes.size() / 4 + rules.size() + 1);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!passable[i])
        passable[i] = passes(nodes[i], passable, can, reads);
    for (Rule &rule : rules)
      if (!(rule.*can) && passable[rule.start])
        hasChanged = rule.*can = true;
  }
}

/// The rules that a rule may call before it reads a byte.
std::vector<uint32_t> Grammar::rulesAtBegin(uint32_t rule) const {
  std::vector<uint32_t> result, open = {rules[rule].start}, seen;
  while (!open.empty()) {
    const uint32_t id = open.back();
    open.pop_back();
    if (!productive[id] || std::ranges::find(seen, id) != seen.end())
      continue;
    budget->work(1 + seen.size() / 8);
    seen.push_back(id);
    const GrammarNode &node = nodes[id];
    switch (node.kind) {
    case Kind::Call:
    case Kind::Loop:
      if (rules[node.what].isProductive)
        result.push_back(node.what);
      if (node.kind == Kind::Loop
              ? node.least == 0 || rules[node.what].isNullable
              : rules[node.what].isNullable)
        open.push_back(node.next);
      break;
    case Kind::Automaton:
      if (leaves[node.what].dfa.isNullable())
        open.push_back(node.next);
      break;
    case Kind::Repeat:
      if (node.least == 0)
        open.push_back(node.next);
      break;
    case Kind::Choice:
      for (uint32_t way : waysOf(node))
        open.push_back(way);
      break;
    case Kind::End:
    case Kind::Nothing:
      break;
    }
  }
  return result;
}

/// Orders the rules by depth-first search. Throws Error if one calls itself.
void Grammar::rankRules() {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> states(rules.size());
  struct Visit {
    uint32_t rule;
    std::vector<uint32_t> called;
  };
  auto rank = static_cast<uint32_t>(rules.size());
  for (uint32_t first = 0; first < rules.size(); ++first) {
    if (states[first] != State::New)
      continue;
    std::vector<Visit> stack;
    auto enter = [&](uint32_t rule) {
      states[rule] = State::Open;
      stack.push_back({rule, rulesAtBegin(rule)});
    };
    enter(first);
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.called.empty()) {
        states[top.rule] = State::Done;
        rules[top.rule].rank = rank--;
        stack.pop_back();
        continue;
      }
      const uint32_t next = top.called.back();
      top.called.pop_back();
      if (states[next] == State::Open)
        fail("has the rule '{}', which calls itself before it reads anything "
             "(left recursion)",
             rules[next].name);
      if (states[next] == State::New)
        enter(next);
    }
  }
}

/// Two bytes are in one class unless an edge of an automaton begins or ends
/// between them.
void Grammar::findClasses() {
  std::array<bool, 257> begins = {true};
  for (const Leaf &leaf : leaves)
    for (uint32_t state = 0; state < leaf.dfa.size(); ++state) {
      budget->work();
      for (const Dfa::Edge &edge : leaf.dfa.edges(state))
        begins[edge.low] = begins[size_t{edge.high} + 1] = true;
    }
  for (size_t byte = 0; byte < 256; ++byte) {
    if (begins[byte])
      examples.push_back(static_cast<uint8_t>(byte));
    classes[byte] = static_cast<uint8_t>(examples.size() - 1);
  }
}

bool Grammar::finish(uint32_t root) {
  rootRule = root;
  std::vector<bool> nullable;
  findPassable(productive, &Rule::isProductive, true);
  findPassable(nullable, &Rule::isNullable, false);
  if (!rules[root].isProductive)
    return false;
  // Repeating what can be empty a number of times means at most that many.
  for (GrammarNode &node : nodes)
    if (node.kind == Kind::Loop && rules[node.what].isNullable)
      node.least = 0;
  rankRules();
  findClasses();
  budget = nullptr;
  return true;
}

} // namespace transfold::runtime::inline constrain
