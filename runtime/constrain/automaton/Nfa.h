// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automata with choices (Thompson 1968), and their conversion to deterministic
// ones. A node is created after the nodes that follow it.

#pragma once

#include "runtime/constrain/automaton/CodeSet.h"
#include "runtime/constrain/automaton/Dfa.h"

#include <unordered_map>

namespace transfold::runtime::inline constrain {

/// How an automaton reads characters: as UTF-8, or as they are written between
/// the quotes of a JSON string, each in one form (docs/constrained.md).
enum class TextForm : uint8_t { Plain, Json };

/// An automaton with choices.
class Nfa {
public:
  explicit Nfa(ConstraintBudget &budget) : budget(budget) {}
  ~Nfa() { budget.release(bytes); }
  Nfa(const Nfa &) = delete;
  Nfa &operator=(const Nfa &) = delete;

  uint32_t final() { return add({.kind = Kind::Final}); }
  /// Reads a byte from low to high.
  uint32_t range(uint8_t low, uint8_t high, uint32_t next);
  /// Reads a text.
  uint32_t text(std::string_view text, uint32_t next);
  /// Reads a character of the set; of an empty set none can be read.
  uint32_t character(const CodeSet &set, TextForm form, uint32_t next);
  uint32_t either(uint32_t one, uint32_t other) {
    return add({.kind = Kind::Either, .next = one, .other = other});
  }
  /// A choice whose second way is set later, for loops.
  uint32_t loop(uint32_t exit) { return either(exit, exit); }
  void setLoop(uint32_t loop, uint32_t body) { nodes[loop].other = body; }
  /// Can be passed at the beginning, or at the end of the text only.
  uint32_t atBegin(uint32_t next) {
    return add({.kind = Kind::Begin, .next = next});
  }
  uint32_t atEnd(uint32_t next) {
    return add({.kind = Kind::End, .next = next});
  }
  /// What cannot be passed.
  uint32_t nothing() { return add({.kind = Kind::Nothing}); }

  /// The automaton that accepts the words from `start` to a final node. After
  /// the node `absorbing` every text is accepted, which keeps automata small.
  Dfa determinize(uint32_t start, uint32_t absorbing = UINT32_MAX) const;

private:
  enum class Kind : uint8_t { Final, Range, Either, Begin, End, Nothing };
  struct Node {
    Kind kind;
    uint8_t low = 0, high = 0;
    uint32_t next = 0, other = 0;
  };
  friend class Determinizer;

  ConstraintBudget &budget;
  size_t bytes = 0; // charged to the budget
  std::vector<Node> nodes;
  /// Nodes that read ranges, to share them: equal rests of characters would
  /// otherwise give different states.
  std::unordered_map<uint64_t, uint32_t> ranges;

  uint32_t add(Node node);
};

} // namespace transfold::runtime::inline constrain
