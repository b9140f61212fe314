// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the hash table of a vocabulary: open addressing with linear probing.
// The runtime searches the finished table in the same way.

#include "compiler/tokenizer/VocabularyBuilder.h"

#include "base/Error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace transfold::tokenizer {

using runtime::Vocabulary;

/// While it grows, the table is at most half full.
bool VocabularyBuilder::insert(std::string_view token, int32_t id) {
  bool isNew = entries.try_emplace(std::string(token), texts.size()).second;
  if (isNew) {
    texts.emplace_back(token);
    ids.push_back(id);
  }
  return isNew;
}

void VocabularyBuilder::assign(std::string_view token, int32_t id) {
  if (!insert(token, id))
    ids[entries.at(std::string(token))] = id;
}

/// Whether entry k has id k, for all k.
bool VocabularyBuilder::areIdsDense() const {
  for (size_t entry = 0; entry < ids.size(); ++entry)
    if (ids[entry] != static_cast<int64_t>(entry))
      return false;
  return true;
}

/// The numbers of the entries, sorted by id; of equal ids, the first entry
/// comes first.
std::vector<uint32_t> VocabularyBuilder::entriesById() const {
  std::vector<uint32_t> byId(ids.size());
  std::iota(byId.begin(), byId.end(), 0);
  std::ranges::sort(
      byId, {}, [&](uint32_t entry) { return std::pair(ids[entry], entry); });
  return byId;
}

/// The slots, at most two thirds of them full: the search for a text that is
/// not in a table of that load compares five slots on average (Knuth, The Art
/// of Computer Programming, 6.4, theorem K), which lie in one cache line.
std::vector<uint32_t> VocabularyBuilder::hashTable() const {
  std::vector<uint32_t> slots(texts.size() + texts.size() / 2 + 1);
  for (size_t entry = 0; entry < texts.size(); ++entry) {
    const uint32_t hash = runtime::TextHash::of(texts[entry]);
    size_t at = Vocabulary::placeOf(hash, slots.size());
    while (slots[at])
      at = at + 1 == slots.size() ? 0 : at + 1;
    slots[at] = Vocabulary::slotOf(hash, static_cast<uint32_t>(entry) + 1,
                                   texts.size());
  }
  return slots;
}

/// Fills `blocks` and `ends` for blocks of 2^bits entries. False if the texts
/// of a block have too many bytes for 16 bits.
bool VocabularyBuilder::findEnds(unsigned bits, std::vector<uint32_t> &blocks,
                                 std::vector<uint16_t> &ends) const {
  blocks.clear();
  ends.clear();
  size_t bytes = 0;
  for (const std::string &each : texts) {
    if (ends.size() >> bits << bits == ends.size())
      blocks.push_back(static_cast<uint32_t>(bytes));
    bytes += each.size();
    if (bytes - blocks.back() > UINT16_MAX)
      return false;
    ends.push_back(static_cast<uint16_t>(bytes - blocks.back()));
  }
  return true;
}

runtime::Vocabulary VocabularyBuilder::finish(Storage &storage) {
  Vocabulary vocabulary;
  vocabulary.slots = storage.keep(hashTable());
  std::string text;
  for (const std::string &each : texts) {
    text += each;
    vocabulary.longest = std::max<uint64_t>(vocabulary.longest, each.size());
  }
  vocabulary.text = storage.keep(std::move(text));
  std::vector<uint32_t> blocks;
  std::vector<uint16_t> ends;
  // 2.25 bytes for each entry, instead of 4. Long tokens need smaller blocks.
  vocabulary.blockBits = 4;
  while (!findEnds(vocabulary.blockBits, blocks, ends))
    if (vocabulary.blockBits-- == 0)
      fail("the tokenizer has a token of {} bytes; at most {} are supported",
           vocabulary.longest, UINT16_MAX);
  vocabulary.blocks = storage.keep(std::move(blocks));
  vocabulary.ends = storage.keep(std::move(ends));
  if (areIdsDense())
    return vocabulary;
  vocabulary.byId = storage.keep(entriesById());
  vocabulary.ids = storage.keep(std::move(ids));
  return vocabulary;
}

} // namespace transfold::tokenizer
