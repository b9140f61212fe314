// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a text is in a grammar. An item is a node, with what was read of it,
// and the number of the set of items that go on after the node's rule: a stack
// whose tail is shared, and which may have several tails (Tomita 1986). Equal
// sets have one number, so that comparing stacks is comparing numbers.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime::inline constrain {

/// A place in a grammar.
struct MatchItem {
  /// The node of the item that stands for the end of the text.
  static constexpr uint32_t endOfText = UINT32_MAX;

  uint32_t node;
  uint32_t place; // state of the node's automaton
  uint32_t count; // words or rounds so far, of a node that repeats
  uint32_t after; // set of items that go on after the rule
  auto operator<=>(const MatchItem &) const = default;
};

/// Numbers sets of items; a set is sorted, and is created after the sets that
/// its items name.
class ItemSets {
public:
  std::span<const MatchItem> operator[](uint32_t set) const {
    return {items.data() + begins[set], items.data() + begins[set + 1]};
  }
  size_t size() const { return hashes.size(); }
  size_t bytes() const {
    return items.capacity() * sizeof(MatchItem) +
           hashes.capacity() * (sizeof(uint64_t) + sizeof(uint32_t)) +
           slots.capacity() * sizeof(uint32_t);
  }
  /// The number of a set, which is added if it is new.
  uint32_t intern(std::span<const MatchItem> set);
  void clear();

private:
  std::vector<MatchItem> items;
  std::vector<uint32_t> begins = {0};
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> slots; // open addressing: number of a set + 1

  void grow();
};

} // namespace transfold::runtime::inline constrain
