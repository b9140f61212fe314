// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookups by linear probing. Each stored index is compared with the size of its
// table, since tables are not checked as a whole when a program starts.

#include "runtime/tokenizer/tables/Vocabulary.h"

#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

uint32_t TextHash::of(std::string_view text) {
  TextHash hash;
  for (char byte : text)
    hash.add(byte);
  return hash.value();
}

/// Whether a byte of UTF-8 is not the first of its character.
static bool continuesCharacter(char byte) { return (byte & 0xc0) == 0x80; }

void Vocabulary::check() const {
  bool isDense = ids.empty() && byId.empty();
  bool hasIds = ids.size() == ends.size() && byId.size() == ends.size();
  if ((!isDense && !hasIds) || blockBits > 16 ||
      blocks.size() !=
          (ends.size() + (size_t{1} << blockBits) - 1) >> blockBits)
    damagedTables("have a vocabulary of a wrong size");
}

std::string_view Vocabulary::textOf(size_t entry) const {
  if (entry >= ends.size())
    damagedTables("have an id without a token");
  const size_t block = blocks[entry >> blockBits],
               inBlock = entry & ((size_t{1} << blockBits) - 1),
               begin = block + (inBlock ? ends[entry - 1] : 0),
               end = block + ends[entry];
  if (begin > end || end > text.size())
    damagedTables("have a token outside of their text");
  return text.substr(begin, end - begin);
}

int32_t Vocabulary::idOf(size_t entry) const {
  return ids.empty() ? static_cast<int32_t>(entry) : ids[entry];
}

/// The entry of `token`; nullopt if there is none.
std::optional<size_t> Vocabulary::entryOf(std::string_view token,
                                          uint32_t hash) const {
  const uint32_t wanted = slotOf(hash, 0, ends.size());
  const uint32_t entryMask = slotOf(~0U, 0, ends.size()) ^ ~0U;
  size_t at = slots.empty() ? 0 : placeOf(hash, slots.size());
  for (size_t step = 0; step < slots.size(); ++step) {
    const uint32_t slot = slots[at];
    if (!slot)
      return std::nullopt;
    const uint32_t entry = slot & entryMask;
    if ((slot ^ entry) == wanted && entry && textOf(entry - 1) == token)
      return entry - 1;
    if (++at == slots.size())
      at = 0;
  }
  return std::nullopt;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  if (token.size() > longest)
    return std::nullopt;
  auto entry = entryOf(token, TextHash::of(token));
  return entry ? std::optional(idOf(*entry)) : std::nullopt;
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  if (byId.empty()) {
    if (id < 0 || static_cast<size_t>(id) >= ends.size())
      return std::nullopt;
    return textOf(static_cast<size_t>(id));
  }
  auto idAt = [&](uint32_t entry) {
    if (entry >= ids.size())
      damagedTables("have an id without a token");
    return ids[entry];
  };
  auto found = std::ranges::lower_bound(byId, id, {}, idAt);
  if (found == byId.end() || idAt(*found) != id)
    return std::nullopt;
  return textOf(*found);
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
    if (auto entry = entryOf(text.substr(0, bytes), hash.value()))
      found.push_back({bytes, idOf(*entry)});
  }
}

} // namespace transfold::runtime::inline tokenizer
