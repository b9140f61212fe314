// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of a text in a grammar, and the table of what each byte does.
// Both are filled when they are needed: a grammar has infinitely many states,
// of which a text and the tokens after it see a few hundred.

#pragma once

#include "runtime/constrain/match/Closure.h"

#include <memory>

namespace transfold::runtime::inline constrain {

/// States are numbered; for use by one thread at a time.
class MatchStates {
public:
  /// The state after a byte that cannot follow.
  static constexpr uint32_t dead = 0;

  explicit MatchStates(std::shared_ptr<const Grammar> grammar);

  const Grammar &grammar() const { return *described; }
  /// The state before the text.
  uint32_t initial() const { return first; }
  uint32_t next(uint32_t state, uint8_t byte) {
    const uint32_t target = table[state * classes + described->classOf(byte)];
    return target != unknown ? target : compute(state, byte);
  }
  std::span<const MatchItem> items(uint32_t state) const {
    return states[state];
  }
  /// Whether the text may end here.
  bool isComplete(uint32_t state) const { return infos[state].isComplete; }
  /// Slices whose characters all lead to one state.
  AlikeSlices alike(uint32_t state) const { return infos[state].alike; }

  /// Memory, which grows with the number of states. What exceeds `mostBytes`
  /// during one operation is an error.
  size_t bytes() const {
    return table.capacity() * sizeof(uint32_t) + infos.capacity() * 2 +
           states.bytes() + stacks.bytes();
  }
  static constexpr size_t mostBytes = 8 << 20;
  /// Forgets all states but these, whose numbers change.
  void keepOnly(std::span<uint32_t *const> used);

private:
  static constexpr uint32_t unknown = UINT32_MAX;
  struct Info {
    bool isComplete;
    AlikeSlices alike;
  };
  std::shared_ptr<const Grammar> described;
  size_t classes;
  ItemSets states, stacks;
  Closure closure;
  std::vector<uint32_t> table; // classes × states
  std::vector<Info> infos;
  uint32_t first = 0;

  uint32_t compute(uint32_t state, uint8_t byte);
  void read(const MatchItem &item, uint8_t byte);
  uint32_t add(std::span<const MatchItem> items);
  void start();
};

} // namespace transfold::runtime::inline constrain
