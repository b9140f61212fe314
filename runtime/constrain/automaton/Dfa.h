// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A deterministic automaton over bytes: what the leaves of a grammar accept.

#pragma once

#include "runtime/constrain/ConstraintBudget.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline constrain {

/// A deterministic automaton; its first state is 0. After trim(), a word that
/// can be read can be completed, and an automaton that accepts nothing has no
/// states.
class Dfa {
public:
  /// The state after a byte that cannot be read.
  static constexpr uint32_t dead = UINT32_MAX;

  /// Bytes low to high lead to the state `next`.
  struct Edge {
    uint8_t low, high;
    uint32_t next;
  };

  size_t size() const { return accepting.size(); }
  bool isEmpty() const { return accepting.empty(); }
  bool accepts(uint32_t state) const { return accepting[state]; }
  /// Sorted by bytes, without overlaps.
  std::span<const Edge> edges(uint32_t state) const {
    return {all.data() + begins[state], all.data() + begins[state + 1]};
  }
  uint32_t next(uint32_t state, uint8_t byte) const;
  /// Whether the empty word is accepted.
  bool isNullable() const { return !isEmpty() && accepts(0); }
  /// Whether a whole text is accepted.
  bool matches(std::string_view text) const;

  /// Appends a state, whose number is the size before. Neighboring edges to one
  /// state are joined. States may be named before they are added.
  void add(bool accepts, std::span<const Edge> edges, ConstraintBudget &budget);
  /// Removes the states from which no word is accepted.
  void trim(ConstraintBudget &budget);

  /// Accepts exactly these texts.
  static Dfa ofTexts(std::vector<std::string> texts, ConstraintBudget &budget);
  /// Accepts the words of both.
  static Dfa intersect(const Dfa &a, const Dfa &b, ConstraintBudget &budget);
  /// Accepts the words of the first that are not words of the second.
  static Dfa subtract(const Dfa &a, const Dfa &b, ConstraintBudget &budget);

  /// Accepts the words of either.
  static Dfa unite(const Dfa &a, const Dfa &b, ConstraintBudget &budget);
  /// Accepts the words that consist of `least` to `most` (UINT32_MAX: or more)
  /// words of `part`, none of which begins with another one.
  static Dfa limitWords(const Dfa &dfa, const Dfa &part, uint32_t least,
                        uint32_t most, ConstraintBudget &budget);

private:
  std::vector<uint32_t> begins = {0};
  std::vector<Edge> all;
  std::vector<bool> accepting;

  template <typename Accepts>
  static Dfa product(const Dfa &a, const Dfa &b, bool needsBoth,
                     Accepts accepts, ConstraintBudget &budget);
  class PartCounter;
};

} // namespace transfold::runtime::inline constrain
