// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subset construction: a state of the deterministic automaton is a set of
// nodes, those that read a byte, end the word, or wait for the end of the text.

#include "runtime/constrain/automaton/Nfa.h"

#include <algorithm>
#include <string>

namespace transfold::runtime::inline constrain {

/// Converts one automaton.
class Determinizer {
public:
  Determinizer(const Nfa &nfa, uint32_t absorbing)
      : nfa(nfa), absorbing(absorbing), marks(nfa.nodes.size()) {}

  Dfa run(uint32_t start) {
    const uint32_t seeds[] = {start};
    numberOf(closure(seeds, true, false));
    for (size_t i = 0; i < sets.size(); ++i) {
      const Set set = sets[i];
      appendEdges(set);
      result.add(accepts(set, i == 0), edges, nfa.budget);
    }
    nfa.budget.release(bytes);
    result.trim(nfa.budget);
    return std::move(result);
  }

private:
  using Kind = Nfa::Kind;
  /// Sorted numbers of nodes.
  using Set = std::u32string;

  const Nfa &nfa;
  const uint32_t absorbing;
  Dfa result;
  std::vector<Set> sets;
  std::unordered_map<Set, uint32_t> numbers;
  size_t bytes = 0; // charged to the budget
  /// Nodes with this mark were visited by the current closure.
  std::vector<uint32_t> marks;
  uint32_t mark = 0;
  std::vector<uint32_t> open;
  std::vector<Dfa::Edge> edges;

  /// The nodes that are reached without reading a byte.
  Set closure(std::span<const uint32_t> seeds, bool isBegin, bool isEnd) {
    Set set;
    const bool isAbsorbing = seeds.size() == 1 && seeds[0] == absorbing;
    ++mark;
    open.assign(seeds.begin(), seeds.end());
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      if (marks[node] == mark)
        continue;
      marks[node] = mark;
      nfa.budget.work();
      if (node == absorbing && !isEnd && !isAbsorbing) {
        // Whatever else could be read, all texts are accepted from here.
        const uint32_t only[] = {absorbing};
        return closure(only, false, false);
      }
      const Nfa::Node &each = nfa.nodes[node];
      switch (each.kind) {
      case Kind::Final:
      case Kind::Range:
        set.push_back(node);
        break;
      case Kind::Either:
        open.push_back(each.next);
        open.push_back(each.other);
        break;
      case Kind::Begin:
        if (isBegin)
          open.push_back(each.next);
        break;
      case Kind::End:
        set.push_back(node);
        if (isEnd)
          open.push_back(each.next);
        break;
      case Kind::Nothing:
        break;
      }
    }
    std::ranges::sort(set);
    return set;
  }

  bool accepts(const Set &set, bool isBegin) {
    const std::vector<uint32_t> seeds(set.begin(), set.end());
    return !seeds.empty() &&
           std::ranges::any_of(closure(seeds, isBegin, true), [&](char32_t at) {
             return nfa.nodes[at].kind == Kind::Final;
           });
  }

  uint32_t numberOf(Set set) {
    auto [found, isNew] =
        numbers.try_emplace(set, static_cast<uint32_t>(sets.size()));
    if (isNew) {
      const size_t size = 128 + 8 * set.size();
      nfa.budget.memory(size);
      bytes += size;
      sets.push_back(std::move(set));
    }
    return found->second;
  }

  /// The edges of a state: the bytes are cut where a range of a node begins or
  /// ends.
  void appendEdges(const Set &set) {
    edges.clear();
    std::vector<int> cuts;
    for (char32_t at : set)
      if (nfa.nodes[at].kind == Kind::Range) {
        cuts.push_back(nfa.nodes[at].low);
        cuts.push_back(nfa.nodes[at].high + 1);
      }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    std::vector<uint32_t> next, before;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      nfa.budget.work(set.size());
      std::swap(next, before);
      next.clear();
      for (char32_t at : set) {
        const Nfa::Node &each = nfa.nodes[at];
        if (each.kind == Kind::Range && each.low <= cuts[i] &&
            each.high >= cuts[i])
          next.push_back(each.next);
      }
      if (next.empty())
        continue;
      const uint32_t target =
          next == before && !edges.empty() && edges.back().high + 1 == cuts[i]
              ? edges.back().next
              : numberOf(closure(next, false, false));
      edges.push_back({static_cast<uint8_t>(cuts[i]),
                       static_cast<uint8_t>(cuts[i + 1] - 1), target});
    }
  }
};

Dfa Nfa::determinize(uint32_t start, uint32_t absorbing) const {
  return Determinizer(*this, absorbing).run(start);
}

} // namespace transfold::runtime::inline constrain
