// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Vocabulary.h"

#include <algorithm>
#include <functional>

namespace transfold::runtime {

namespace {

uint32_t hashOf(std::string_view token) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(token));
}

} // namespace

/// The slot that holds `token`, or the empty one where it belongs.
size_t Vocabulary::slotOf(std::string_view token, uint32_t hash) const {
  size_t mask = slots.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot &slot = slots[at];
    if (slot.id < 0 ||
        (slot.hash == hash &&
         std::string_view(text).substr(slot.begin, slot.length) == token))
      return at;
  }
}

void Vocabulary::grow() {
  std::vector<Slot> old(std::max<size_t>(1024, slots.size() * 2));
  old.swap(slots);
  size_t mask = slots.size() - 1;
  for (const Slot &slot : old) {
    if (slot.id < 0)
      continue;
    size_t at = slot.hash & mask;
    while (slots[at].id >= 0)
      at = (at + 1) & mask;
    slots[at] = slot;
  }
}

bool Vocabulary::insert(std::string_view token, int32_t id) {
  if (2 * (count + 1) > slots.size())
    grow();
  uint32_t hash = hashOf(token);
  Slot &slot = slots[slotOf(token, hash)];
  if (slot.id >= 0)
    return false;
  slot = {hash, static_cast<uint32_t>(text.size()),
          static_cast<uint32_t>(token.size()), id};
  text += token;
  ++count;
  longestToken = std::max(longestToken, token.size());
  return true;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  if (slots.empty() || token.size() > longestToken)
    return std::nullopt;
  const Slot &slot = slots[slotOf(token, hashOf(token))];
  if (slot.id < 0)
    return std::nullopt;
  return slot.id;
}

} // namespace transfold::runtime
