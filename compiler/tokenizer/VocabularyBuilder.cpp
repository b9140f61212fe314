// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tokenizer/VocabularyBuilder.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace transfold::tokenizer {

/// The slot that holds `token`, or the empty slot where it belongs.
size_t VocabularyBuilder::slotOf(std::string_view token, uint32_t hash) const {
  size_t mask = slots.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot &slot = slots[at];
    if (!slot.entry)
      return at;
    const Entry &entry = entries[slot.entry - 1];
    if (slot.hash == hash &&
        std::string_view(text).substr(entry.begin, entry.length) == token)
      return at;
  }
}

void VocabularyBuilder::resizeSlots(size_t size) {
  std::vector<Slot> old(size);
  old.swap(slots);
  for (const Slot &slot : old) {
    if (!slot.entry)
      continue;
    size_t at = slot.hash & (size - 1);
    while (slots[at].entry)
      at = (at + 1) & (size - 1);
    slots[at] = slot;
  }
}

bool VocabularyBuilder::insert(std::string_view token, int32_t id) {
  if (2 * (entries.size() + 1) > slots.size())
    resizeSlots(std::max<size_t>(1024, slots.size() * 4));
  uint32_t hash = runtime::TextHash::of(token);
  Slot &slot = slots[slotOf(token, hash)];
  if (slot.entry)
    return false;
  entries.push_back({static_cast<uint32_t>(text.size()),
                     static_cast<uint32_t>(token.size()), id});
  slot = {hash, static_cast<uint32_t>(entries.size())};
  text += token;
  longest = std::max(longest, token.size());
  return true;
}

void VocabularyBuilder::assign(std::string_view token, int32_t id) {
  if (insert(token, id))
    return;
  const Slot &slot = slots[slotOf(token, runtime::TextHash::of(token))];
  entries[slot.entry - 1].id = id;
}

/// The numbers of the entries, sorted by id; empty if entry k has id k.
std::vector<uint32_t> VocabularyBuilder::entriesById() const {
  bool inOrder = true;
  for (size_t i = 0; i < entries.size(); ++i)
    inOrder = inOrder && entries[i].id == static_cast<int64_t>(i);
  std::vector<uint32_t> byId;
  if (inOrder)
    return byId;
  byId.resize(entries.size());
  for (size_t i = 0; i < byId.size(); ++i)
    byId[i] = static_cast<uint32_t>(i);
  std::ranges::sort(byId, {}, [&](uint32_t entry) {
    return std::pair(entries[entry].id, entry);
  });
  return byId;
}

runtime::Vocabulary VocabularyBuilder::finish(Storage &storage) {
  resizeSlots(std::bit_ceil(2 * entries.size()));
  runtime::Vocabulary vocabulary;
  vocabulary.byId = storage.keep(entriesById());
  vocabulary.text = storage.keep(std::move(text));
  vocabulary.entries = storage.keep(std::move(entries));
  vocabulary.slots = storage.keep(std::move(slots));
  vocabulary.longest = longest;
  return vocabulary;
}

} // namespace transfold::tokenizer
