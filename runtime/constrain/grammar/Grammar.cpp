// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/grammar/Grammar.h"

#include <utility>

namespace transfold::runtime::inline constrain {

Grammar::Grammar(ConstraintBudget &budget) : budget(&budget) {
  add({.kind = Kind::End});
  add({.kind = Kind::Nothing});
}

uint32_t Grammar::add(GrammarNode node) {
  budget->work();
  budget->memory(sizeof(GrammarNode) + 1);
  nodes.push_back(node);
  return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t Grammar::addAutomaton(Dfa dfa) {
  budget->memory(sizeof(Leaf) + dfa.size());
  auto alike = alikeSlices(dfa, *budget);
  leaves.push_back({std::move(dfa), std::move(alike)});
  return static_cast<uint32_t>(leaves.size() - 1);
}

uint32_t Grammar::textAutomaton(const std::string &text) {
  auto found = texts.find(text);
  if (found == texts.end()) {
    budget->memory(64 + text.size());
    found =
        texts.emplace(text, addAutomaton(Dfa::ofTexts({text}, *budget))).first;
  }
  return found->second;
}

uint32_t Grammar::addRule(std::string name) {
  budget->work();
  budget->memory(sizeof(Rule) + name.size());
  rules.push_back({std::move(name)});
  return static_cast<uint32_t>(rules.size() - 1);
}

uint32_t Grammar::automaton(uint32_t automaton, uint32_t next) {
  return leaves[automaton].dfa.isEmpty()
             ? nothing()
             : add({.kind = Kind::Automaton, .what = automaton, .next = next});
}

uint32_t Grammar::repeat(uint32_t automaton, uint32_t least, uint32_t most,
                         uint32_t next) {
  if (least > most)
    return nothing();
  if (most == 0)
    return next;
  if (leaves[automaton].dfa.isEmpty())
    return least == 0 ? next : nothing();
  return add({.kind = Kind::Repeat,
              .what = automaton,
              .next = next,
              .least = least,
              .most = most});
}

uint32_t Grammar::call(uint32_t rule, uint32_t next) {
  return add({.kind = Kind::Call, .what = rule, .next = next});
}

uint32_t Grammar::loop(uint32_t rule, uint32_t least, uint32_t most,
                       uint32_t next) {
  if (least > most)
    return nothing();
  if (most == 0)
    return next;
  return add({.kind = Kind::Loop,
              .what = rule,
              .next = next,
              .least = least,
              .most = most});
}

uint32_t Grammar::choice(std::vector<uint32_t> each) {
  if (each.size() == 1)
    return each[0];
  if (each.empty())
    return nothing();
  budget->work(each.size());
  budget->memory(each.size() * sizeof(uint32_t));
  const auto begin = static_cast<uint32_t>(ways.size());
  ways.insert(ways.end(), each.begin(), each.end());
  return add({.kind = Kind::Choice,
              .what = begin,
              .least = static_cast<uint32_t>(each.size())});
}

} // namespace transfold::runtime::inline constrain
