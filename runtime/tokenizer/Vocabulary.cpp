// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/Vocabulary.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime {

namespace {

/// FNV-1a: the hash of a text continues that of its beginning, so all
/// prefixes of a text are hashed in one pass.
class Hash {
public:
  void add(char byte) {
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  uint32_t value() const {
    return static_cast<uint32_t>(state ^ (state >> 32));
  }

private:
  uint64_t state = 0xcbf29ce484222325;
};

uint32_t hashOf(std::string_view token) {
  Hash hash;
  for (char byte : token)
    hash.add(byte);
  return hash.value();
}

bool continuesCharacter(char byte) { return (byte & 0xc0) == 0x80; }

} // namespace

/// The slot that holds `token`, or the empty one where it belongs.
size_t Vocabulary::slotOf(std::string_view token, uint32_t hash) const {
  size_t mask = slots.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot &slot = slots[at];
    if (!slot.entry ||
        (slot.hash == hash && textOf(entries[slot.entry - 1]) == token))
      return at;
  }
}

void Vocabulary::grow() {
  std::vector<Slot> old(std::max<size_t>(1024, slots.size() * 4));
  old.swap(slots);
  size_t mask = slots.size() - 1;
  for (const Slot &slot : old) {
    if (!slot.entry)
      continue;
    size_t at = slot.hash & mask;
    while (slots[at].entry)
      at = (at + 1) & mask;
    slots[at] = slot;
  }
}

bool Vocabulary::insert(std::string_view token, int32_t id) {
  if (2 * (entries.size() + 1) > slots.size())
    grow();
  uint32_t hash = hashOf(token);
  Slot &slot = slots[slotOf(token, hash)];
  if (slot.entry)
    return false;
  entries.push_back({static_cast<uint32_t>(text.size()),
                     static_cast<uint32_t>(token.size()), id});
  slot = {hash, static_cast<uint32_t>(entries.size())};
  text += token;
  longestToken = std::max(longestToken, token.size());
  return true;
}

void Vocabulary::assign(std::string_view token, int32_t id) {
  if (!insert(token, id))
    entries[slots[slotOf(token, hashOf(token))].entry - 1].id = id;
}

void Vocabulary::finish() {
  bool inOrder = true;
  for (size_t i = 0; i < entries.size(); ++i)
    inOrder = inOrder && entries[i].id == static_cast<int64_t>(i);
  if (inOrder)
    return;
  byId.resize(entries.size());
  for (size_t i = 0; i < byId.size(); ++i)
    byId[i] = static_cast<uint32_t>(i);
  std::ranges::sort(byId, {}, [&](uint32_t entry) {
    return std::pair(entries[entry].id, entry);
  });
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  if (slots.empty() || token.size() > longestToken)
    return std::nullopt;
  const Slot &slot = slots[slotOf(token, hashOf(token))];
  if (!slot.entry)
    return std::nullopt;
  return entries[slot.entry - 1].id;
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  if (byId.empty()) {
    if (id < 0 || static_cast<size_t>(id) >= entries.size())
      return std::nullopt;
    return textOf(entries[static_cast<size_t>(id)]);
  }
  auto found = std::ranges::lower_bound(
      byId, id, {}, [&](uint32_t entry) { return entries[entry].id; });
  if (found == byId.end() || entries[*found].id != id)
    return std::nullopt;
  return textOf(entries[*found]);
}

void Vocabulary::prefixes(std::string_view text,
                          std::vector<Prefix> &found) const {
  found.clear();
  if (slots.empty())
    return;
  Hash hash;
  size_t end = std::min(text.size(), longestToken);
  for (size_t bytes = 1; bytes <= end; ++bytes) {
    hash.add(text[bytes - 1]);
    if (bytes < text.size() && continuesCharacter(text[bytes]))
      continue;
    const Slot &slot = slots[slotOf(text.substr(0, bytes), hash.value())];
    if (slot.entry)
      found.push_back({bytes, entries[slot.entry - 1].id});
  }
}

} // namespace transfold::runtime
