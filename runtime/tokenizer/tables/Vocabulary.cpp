// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/tables/Vocabulary.h"

#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>
#include <bit>

namespace transfold::runtime {

uint32_t TextHash::of(std::string_view text) {
  TextHash hash;
  for (char byte : text)
    hash.add(byte);
  return hash.value();
}

static bool continuesCharacter(char byte) { return (byte & 0xc0) == 0x80; }

void Vocabulary::check() const {
  if (!slots.empty() && !std::has_single_bit(slots.size()))
    damagedTables("have a vocabulary of a wrong size");
}

std::string_view Vocabulary::textOf(const Entry &entry) const {
  if (entry.begin > text.size() || entry.length > text.size() - entry.begin)
    damagedTables("have a token outside of their text");
  return text.substr(entry.begin, entry.length);
}

/// The entry of `token`; null if there is none.
const Vocabulary::Entry *Vocabulary::entryOf(std::string_view token,
                                             uint32_t hash) const {
  size_t mask = slots.size() - 1;
  for (size_t step = 0; step < slots.size(); ++step) {
    const Slot &slot = slots[(hash + step) & mask];
    if (!slot.entry || slot.entry > entries.size())
      return nullptr;
    const Entry &entry = entries[slot.entry - 1];
    if (slot.hash == hash && textOf(entry) == token)
      return &entry;
  }
  return nullptr;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  if (token.size() > longest)
    return std::nullopt;
  const Entry *entry = entryOf(token, TextHash::of(token));
  return entry ? std::optional(entry->id) : std::nullopt;
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  if (byId.empty()) {
    if (id < 0 || static_cast<size_t>(id) >= entries.size())
      return std::nullopt;
    return textOf(entries[static_cast<size_t>(id)]);
  }
  auto entryAt = [&](uint32_t entry) -> const Entry & {
    if (entry >= entries.size())
      damagedTables("have an id without a token");
    return entries[entry];
  };
  auto found = std::ranges::lower_bound(
      byId, id, {}, [&](uint32_t entry) { return entryAt(entry).id; });
  if (found == byId.end() || entryAt(*found).id != id)
    return std::nullopt;
  return textOf(entryAt(*found));
}

void Vocabulary::prefixes(std::string_view text,
                          std::vector<Prefix> &found) const {
  found.clear();
  TextHash hash;
  size_t end = std::min<size_t>(text.size(), longest);
  for (size_t bytes = 1; bytes <= end; ++bytes) {
    hash.add(text[bytes - 1]);
    if (bytes < text.size() && continuesCharacter(text[bytes]))
      continue;
    if (const Entry *entry = entryOf(text.substr(0, bytes), hash.value()))
      found.push_back({bytes, entry->id});
  }
}

} // namespace transfold::runtime
