// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/Dfa.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

uint32_t Dfa::next(uint32_t state, uint8_t byte) const {
  auto list = edges(state);
  // Most states have few edges.
  if (list.size() <= 8) {
    for (const Edge &edge : list)
      if (byte <= edge.high)
        return byte >= edge.low ? edge.next : dead;
    return dead;
  }
  auto found = std::ranges::lower_bound(list, byte, {}, &Edge::high);
  return found != list.end() && byte >= found->low ? found->next : dead;
}

bool Dfa::matches(std::string_view text) const {
  uint32_t state = isEmpty() ? dead : 0;
  for (char byte : text) {
    if (state == dead)
      return false;
    state = next(state, static_cast<uint8_t>(byte));
  }
  return state != dead && accepts(state);
}

void Dfa::add(bool accepts, std::span<const Edge> edges,
              ConstraintBudget &budget) {
  budget.work(1 + edges.size());
  budget.memory(sizeof(uint32_t) + 1 + edges.size() * sizeof(Edge));
  for (const Edge &edge : edges) {
    if (all.size() > begins.back() && all.back().next == edge.next &&
        all.back().high + 1 == edge.low)
      all.back().high = edge.high;
    else
      all.push_back(edge);
  }
  begins.push_back(static_cast<uint32_t>(all.size()));
  accepting.push_back(accepts);
}

void Dfa::trim(ConstraintBudget &budget) {
  // The edges backwards, by counting sort.
  budget.work(2 * (size() + all.size()));
  std::vector<uint32_t> ends(size() + 1), sources(all.size());
  for (const Edge &edge : all)
    ++ends[edge.next];
  uint32_t sum = 0;
  for (uint32_t &end : ends)
    end = sum += end;
  for (uint32_t state = 0; state < size(); ++state)
    for (const Edge &edge : edges(state))
      sources[--ends[edge.next]] = state;
  std::vector<uint32_t> &firsts = ends;
  // What reaches an accepting state.
  std::vector<uint32_t> open, number(size(), dead);
  for (uint32_t state = 0; state < size(); ++state)
    if (accepting[state]) {
      number[state] = 0;
      open.push_back(state);
    }
  while (!open.empty()) {
    uint32_t state = open.back();
    open.pop_back();
    for (uint32_t i = firsts[state]; i < firsts[state + 1]; ++i)
      if (number[sources[i]] == dead) {
        number[sources[i]] = 0;
        open.push_back(sources[i]);
      }
  }
  uint32_t kept = 0;
  for (uint32_t &each : number)
    if (each != dead)
      each = kept++;
  if (isEmpty() || number[0] == dead) {
    *this = Dfa();
    return;
  }
  if (kept == size())
    return;
  Dfa result;
  std::vector<Edge> left;
  for (uint32_t state = 0; state < size(); ++state) {
    if (number[state] == dead)
      continue;
    left.clear();
    for (const Edge &edge : edges(state))
      if (number[edge.next] != dead)
        left.push_back({edge.low, edge.high, number[edge.next]});
    result.add(accepting[state], left, budget);
  }
  *this = std::move(result);
}

Dfa Dfa::ofTexts(std::vector<std::string> texts, ConstraintBudget &budget) {
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
  Dfa result;
  if (texts.empty())
    return result;
  // Breadth first: a state is a group of texts with the same first bytes.
  struct Group {
    size_t begin, end, depth;
  };
  std::vector<Group> groups = {{0, texts.size(), 0}};
  std::vector<Edge> edges;
  for (size_t i = 0; i < groups.size(); ++i) {
    auto [begin, end, depth] = groups[i];
    budget.memory(sizeof(Group));
    bool accepts = texts[begin].size() == depth;
    if (accepts)
      ++begin;
    edges.clear();
    while (begin < end) {
      size_t after = begin;
      while (after < end && texts[after][depth] == texts[begin][depth])
        ++after;
      budget.work(after - begin);
      auto byte = static_cast<uint8_t>(texts[begin][depth]);
      edges.push_back({byte, byte, static_cast<uint32_t>(groups.size())});
      groups.push_back({begin, after, depth + 1});
      begin = after;
    }
    result.add(accepts, edges, budget);
  }
  budget.release(groups.size() * sizeof(Group));
  return result;
}

} // namespace transfold::runtime::inline constrain
