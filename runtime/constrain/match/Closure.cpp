// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/Closure.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

using Kind = GrammarNode::Kind;

Closure::Closure(const Grammar &grammar, ItemSets &stacks)
    : grammar(grammar), stacks(stacks), lastOf(grammar.size()),
      marks(grammar.size()) {}

void Closure::begin() {
  result.clear();
  visited.clear();
  ++mark;
}

void Closure::enterRoot(uint32_t after) {
  const uint32_t root = grammar.root();
  if (grammar.rule(root).isNullable)
    result.push_back({MatchItem::endOfText, 0, 0, 0});
  for (const MatchItem &item : stacks[after])
    call(root, item);
}

bool Closure::isNew(const Visit &visit) {
  constexpr uint32_t none = UINT32_MAX;
  uint32_t before = none;
  if (marks[visit.node] == mark)
    before = lastOf[visit.node];
  for (uint32_t at = before; at != none; at = visited[at].before) {
    const Visit &other = visited[at].visit;
    if (other.count == visit.count && other.after == visit.after &&
        other.isFresh == visit.isFresh)
      return false;
  }
  marks[visit.node] = mark;
  lastOf[visit.node] = static_cast<uint32_t>(visited.size());
  visited.push_back({visit, before});
  return true;
}

void Closure::call(uint32_t rule, const MatchItem &after) {
  if (callers.size() <= rule)
    callers.resize(rule + 1);
  if (callers[rule].empty())
    called.emplace(grammar.rule(rule).rank, rule);
  callers[rule].push_back(after);
}

/// Leaves a rule: goes on at all places after it.
void Closure::leave(const Visit &visit) {
  if (visit.isFresh)
    return;
  for (const MatchItem &item : stacks[visit.after]) {
    if (item.node == MatchItem::endOfText)
      result.push_back(item);
    else
      open.push_back({item.node, item.count, item.after});
  }
}

void Closure::follow(const Visit &visit) {
  const GrammarNode &node = grammar.node(visit.node);
  auto goOn = [&] {
    open.push_back({node.next, 0, visit.after, visit.isFresh});
  };
  switch (node.kind) {
  case Kind::End:
    return leave(visit);
  case Kind::Nothing:
    return;
  case Kind::Automaton:
    result.push_back({visit.node, 0, 0, visit.after});
    if (grammar.leaf(node.what).dfa.isNullable())
      goOn();
    return;
  case Kind::Repeat:
    result.push_back({visit.node, 0, 0, visit.after});
    if (node.least == 0)
      goOn();
    return;
  case Kind::Call:
    // A call at the end of a rule needs no place of its own.
    if (node.next == grammar.end())
      for (const MatchItem &item : stacks[visit.after])
        call(node.what, item);
    else
      call(node.what, {node.next, 0, 0, visit.after});
    if (grammar.rule(node.what).isNullable)
      goOn();
    return;
  case Kind::Loop: {
    if (visit.count >= node.least)
      goOn();
    const bool isLimited = node.most != Grammar::unlimited;
    if ((!isLimited || visit.count < node.most) &&
        grammar.rule(node.what).isProductive) {
      const uint32_t count =
          isLimited ? visit.count + 1 : std::min(visit.count + 1, node.least);
      call(node.what, {visit.node, 0, count, visit.after});
    }
    return;
  }
  case Kind::Choice:
    for (uint32_t way : grammar.waysOf(node))
      open.push_back({way, 0, visit.after, visit.isFresh});
    return;
  }
}

void Closure::run() {
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    if (grammar.isProductive(visit.node) && isNew(visit))
      follow(visit);
  }
}

std::span<const MatchItem> Closure::finish() {
  auto sort = [](std::vector<MatchItem> &items) {
    std::ranges::sort(items);
    items.erase(std::ranges::unique(items).begin(), items.end());
  };
  run();
  while (!called.empty()) {
    const uint32_t rule = called.top().second;
    called.pop();
    sort(callers[rule]);
    const uint32_t after = stacks.intern(callers[rule]);
    callers[rule].clear();
    open.push_back({grammar.rule(rule).start, 0, after, true});
    run();
  }
  sort(result);
  return result;
}

} // namespace transfold::runtime::inline constrain
