// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/MatchStates.h"

#include <algorithm>
#include <unordered_map>

namespace transfold::runtime::inline constrain {

using NodeKind = GrammarNode::Kind;

MatchStates::MatchStates(std::shared_ptr<const Grammar> grammar)
    : described(std::move(grammar)), classes(described->classExamples().size()),
      closure(*described, stacks) {
  start();
}

/// Adds the dead state, and the one before the text.
void MatchStates::start() {
  add({});
  const MatchItem end[] = {{MatchItem::endOfText, 0, 0, 0}};
  const uint32_t bottom = stacks.intern(end);
  closure.begin();
  closure.enterRoot(bottom);
  first = add(closure.finish());
}

uint32_t MatchStates::add(std::span<const MatchItem> items) {
  const uint32_t state = states.intern(items);
  if (state < infos.size())
    return state;
  if (bytes() > mostBytes)
    fail("the constraint needs too much memory here");
  Info info = {false, static_cast<AlikeSlices>((1 << sliceCount) - 1)};
  for (const MatchItem &item : items) {
    if (item.node == MatchItem::endOfText)
      info.isComplete = true;
    else
      info.alike &=
          described->leaf(described->node(item.node).what).alike[item.place];
  }
  infos.push_back(info);
  table.resize(table.size() + classes, state == dead ? dead : unknown);
  return state;
}

/// Adds what follows an item after a byte.
void MatchStates::read(const MatchItem &item, uint8_t byte) {
  if (item.node == MatchItem::endOfText)
    return;
  const GrammarNode &node = described->node(item.node);
  const Dfa &dfa = described->leaf(node.what).dfa;
  const uint32_t place = dfa.next(item.place, byte);
  if (place == Dfa::dead)
    return;
  if (node.kind == NodeKind::Automaton) {
    if (!dfa.edges(place).empty())
      closure.add({item.node, place, 0, item.after});
    if (dfa.accepts(place))
      closure.enter(node.next, item.after);
    return;
  }
  if (!dfa.accepts(place)) {
    closure.add({item.node, place, item.count, item.after});
    return;
  }
  // One more word; where no largest number has to be kept, the count stops at
  // the least.
  uint32_t count = item.count + 1;
  if (node.most == Grammar::unlimited)
    count = std::min(count, node.least);
  if (node.most == Grammar::unlimited || count < node.most)
    closure.add({item.node, 0, count, item.after});
  if (count >= node.least)
    closure.enter(node.next, item.after);
}

uint32_t MatchStates::compute(uint32_t state, uint8_t byte) {
  closure.begin();
  for (const MatchItem &item : states[state])
    read(item, byte);
  const uint32_t target = add(closure.finish());
  return table[state * classes + described->classOf(byte)] = target;
}

void MatchStates::keepOnly(std::span<uint32_t *const> used) {
  // A stack is created after those below it: in the order of their numbers they
  // can be copied.
  std::vector<bool> isUsed(stacks.size());
  std::vector<std::vector<MatchItem>> kept;
  auto mark = [&](std::span<const MatchItem> items) {
    for (const MatchItem &item : items)
      if (item.node != MatchItem::endOfText)
        isUsed[item.after] = true;
  };
  for (const uint32_t *state : used) {
    kept.emplace_back(states[*state].begin(), states[*state].end());
    mark(kept.back());
  }
  for (size_t i = stacks.size(); i-- > 0;)
    if (isUsed[i])
      mark(stacks[static_cast<uint32_t>(i)]);
  const ItemSets old = std::move(stacks);
  stacks.clear();
  states.clear();
  table = {};
  infos = {};
  start();
  std::vector<uint32_t> numbers(old.size());
  auto renumbered = [&](std::span<const MatchItem> items) {
    std::vector<MatchItem> result(items.begin(), items.end());
    for (MatchItem &item : result)
      if (item.node != MatchItem::endOfText)
        item.after = numbers[item.after];
    std::ranges::sort(result);
    return result;
  };
  for (uint32_t i = 0; i < old.size(); ++i)
    if (isUsed[i])
      numbers[i] = stacks.intern(renumbered(old[i]));
  for (size_t i = 0; i < used.size(); ++i)
    *used[i] = add(renumbered(kept[i]));
}

} // namespace transfold::runtime::inline constrain
