// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/ItemSets.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

static uint64_t hashOf(std::span<const MatchItem> set) {
  uint64_t hash = set.size();
  auto mix = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  };
  for (const MatchItem &item : set) {
    mix(uint64_t{item.node} << 32 | item.place);
    mix(uint64_t{item.count} << 32 | item.after);
  }
  return hash;
}

uint32_t ItemSets::intern(std::span<const MatchItem> set) {
  if (2 * (size() + 1) > slots.size())
    grow();
  const uint64_t hash = hashOf(set);
  size_t slot = hash & (slots.size() - 1);
  for (; slots[slot] != 0; slot = (slot + 1) & (slots.size() - 1)) {
    const uint32_t candidate = slots[slot] - 1;
    if (hashes[candidate] == hash &&
        std::ranges::equal((*this)[candidate], set))
      return candidate;
  }
  items.insert(items.end(), set.begin(), set.end());
  begins.push_back(static_cast<uint32_t>(items.size()));
  hashes.push_back(hash);
  return (slots[slot] = static_cast<uint32_t>(size())) - 1;
}

void ItemSets::grow() {
  slots.assign(std::max<size_t>(64, 2 * slots.size()), 0);
  for (uint32_t set = 0; set < size(); ++set) {
    size_t slot = hashes[set] & (slots.size() - 1);
    while (slots[slot] != 0)
      slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = set + 1;
  }
}

void ItemSets::clear() { *this = ItemSets(); }

} // namespace transfold::runtime::inline constrain
