// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automata made of several automata: their states are tuples.

#include "runtime/constrain/automaton/Dfa.h"

#include <algorithm>
#include <unordered_map>

namespace transfold::runtime::inline constrain {

/// The automaton whose states are pairs. A state of `b` may be dead if words of
/// `b` are not needed.
template <typename Accepts>
Dfa Dfa::product(const Dfa &a, const Dfa &b, bool needsBoth, Accepts accepts,
                 ConstraintBudget &budget) {
  Dfa result;
  if (a.isEmpty() || (needsBoth && b.isEmpty()))
    return result;
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  auto numberOf = [&](uint32_t ofA, uint32_t ofB) {
    auto [found, isNew] = numbers.try_emplace(
        uint64_t{ofA} << 32 | ofB, static_cast<uint32_t>(pairs.size()));
    if (isNew) {
      budget.memory(64);
      pairs.emplace_back(ofA, ofB);
    }
    return found->second;
  };
  numberOf(0, b.isEmpty() ? dead : 0);
  std::vector<Edge> edges;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [ofA, ofB] = pairs[i];
    edges.clear();
    for (const Edge &edge : a.edges(ofA)) {
      int low = edge.low;
      auto add = [&](int to, uint32_t other) {
        if (low <= to && !(needsBoth && other == dead))
          edges.push_back({static_cast<uint8_t>(low), static_cast<uint8_t>(to),
                           numberOf(edge.next, other)});
        low = std::max(low, to + 1);
      };
      if (ofB != dead)
        for (const Edge &other : b.edges(ofB)) {
          budget.work();
          if (other.high < low)
            continue;
          if (other.low > edge.high)
            break;
          add(other.low - 1, dead);
          add(std::min(edge.high, other.high), other.next);
        }
      add(edge.high, dead);
    }
    result.add(accepts(a.accepts(ofA), ofB != dead && b.accepts(ofB)), edges,
               budget);
  }
  budget.release(pairs.size() * 64);
  result.trim(budget);
  return result;
}

Dfa Dfa::intersect(const Dfa &a, const Dfa &b, ConstraintBudget &budget) {
  return product(
      a, b, true, [](bool ofA, bool ofB) { return ofA && ofB; }, budget);
}

Dfa Dfa::subtract(const Dfa &a, const Dfa &b, ConstraintBudget &budget) {
  return product(
      a, b, false, [](bool ofA, bool ofB) { return ofA && !ofB; }, budget);
}

Dfa Dfa::unite(const Dfa &a, const Dfa &b, ConstraintBudget &budget) {
  Dfa result;
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  auto numberOf = [&](uint32_t ofA, uint32_t ofB) {
    auto [found, isNew] = numbers.try_emplace(
        uint64_t{ofA} << 32 | ofB, static_cast<uint32_t>(pairs.size()));
    if (isNew) {
      budget.memory(64);
      pairs.emplace_back(ofA, ofB);
    }
    return found->second;
  };
  numberOf(a.isEmpty() ? dead : 0, b.isEmpty() ? dead : 0);
  std::vector<Edge> edges;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [ofA, ofB] = pairs[i];
    edges.clear();
    for (int byte = 0; byte < 256; ++byte) {
      const auto read = static_cast<uint8_t>(byte);
      const uint32_t nextA = ofA == dead ? dead : a.next(ofA, read),
                     nextB = ofB == dead ? dead : b.next(ofB, read);
      if (nextA != dead || nextB != dead)
        edges.push_back({read, read, numberOf(nextA, nextB)});
    }
    budget.work(32);
    result.add((ofA != dead && a.accepts(ofA)) ||
                   (ofB != dead && b.accepts(ofB)),
               edges, budget);
  }
  budget.release(pairs.size() * 64);
  result.trim(budget);
  return result;
}

/// Counts the words of one automaton in the words of another: a state is one of
/// each, and the count so far.
class Dfa::PartCounter {
public:
  PartCounter(const Dfa &dfa, const Dfa &part, uint32_t least, uint32_t most,
              ConstraintBudget &budget)
      : dfa(dfa), part(part), least(least), most(most), budget(budget) {}

  Dfa run() {
    if (dfa.isEmpty())
      return {};
    numberOf({0, 0, 0});
    for (size_t i = 0; i < states.size(); ++i) {
      const State state = states[i];
      edges.clear();
      for (const Edge &edge : dfa.edges(state.ofDfa))
        addEdges(state, edge);
      result.add(state.ofPart == 0 && state.count >= least &&
                     dfa.accepts(state.ofDfa),
                 edges, budget);
    }
    budget.release(states.size() * bytesOfState);
    result.trim(budget);
    return std::move(result);
  }

private:
  struct State {
    uint32_t ofDfa, ofPart, count;
    bool operator==(const State &) const = default;
  };
  struct Hash {
    size_t operator()(const State &state) const {
      return ((uint64_t{state.ofDfa} << 32 | state.count) * 31 + state.ofPart) *
             0x9E3779B97F4A7C15;
    }
  };
  static constexpr size_t bytesOfState = 64;
  const Dfa &dfa, &part;
  const uint32_t least, most;
  ConstraintBudget &budget;
  Dfa result;
  std::vector<State> states;
  std::unordered_map<State, uint32_t, Hash> numbers;
  std::vector<Edge> edges;

  uint32_t numberOf(State state) {
    auto [found, isNew] =
        numbers.try_emplace(state, static_cast<uint32_t>(states.size()));
    if (isNew) {
      budget.memory(bytesOfState);
      states.push_back(state);
    }
    return found->second;
  }

  void addEdges(const State &state, const Edge &edge) {
    for (const Edge &other : part.edges(state.ofPart)) {
      budget.work();
      const uint8_t low = std::max(edge.low, other.low),
                    high = std::min(edge.high, other.high);
      if (low > high)
        continue;
      State next = {edge.next, other.next, state.count};
      if (part.accepts(other.next)) {
        next.ofPart = 0;
        if (most != UINT32_MAX || next.count < least)
          ++next.count;
        if (next.count > most)
          continue;
      }
      edges.push_back({low, high, numberOf(next)});
    }
  }
};

Dfa Dfa::limitWords(const Dfa &dfa, const Dfa &part, uint32_t least,
                    uint32_t most, ConstraintBudget &budget) {
  return PartCounter(dfa, part, least, most, budget).run();
}

} // namespace transfold::runtime::inline constrain
