// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookups among the added tokens. Their tables lie in the program's file, and
// are checked when they are used.

#include "runtime/tokenizer/Description.h"

#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

Description::Description() = default;
Description::Description(Description &&) noexcept = default;
Description &Description::operator=(Description &&) noexcept = default;
Description::~Description() = default;

std::string_view AddedTexts::textOf(const Entry &entry) const {
  if (entry.begin > text.size() || entry.length > text.size() - entry.begin)
    damagedTables("have an added token outside of their text");
  return text.substr(entry.begin, entry.length);
}

std::optional<AddedTexts::Added> AddedTexts::find(int32_t id) const {
  auto found = std::ranges::lower_bound(entries, id, {}, &Entry::id);
  if (found == entries.end() || found->id != id)
    return std::nullopt;
  return Added{textOf(*found), found->special != 0};
}

std::optional<int32_t> AddedTexts::idOf(std::string_view token) const {
  for (const Entry &entry : entries)
    if (textOf(entry) == token)
      return entry.id;
  return std::nullopt;
}

} // namespace transfold::runtime::inline tokenizer
