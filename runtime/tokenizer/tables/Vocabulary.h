// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Token text to id and back: one open-addressed hash table over one block of
// text. The compiler generates it (compiler/tokenizer/VocabularyBuilder.h), and
// the program uses it in place.

#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// FNV-1a: the hash of a text extends the hash of its prefix, so all prefixes
/// of a text are hashed in one pass. The last bytes of a text change few bits
/// of the state, so its value is mixed (the last steps of MurmurHash3): without
/// them the tokens of a regular vocabulary lie in long runs of a full table.
class TextHash {
public:
  void add(char byte) {
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  uint32_t value() const {
    auto value = static_cast<uint32_t>(state ^ (state >> 32));
    value = (value ^ (value >> 16)) * 0x85ebca6b;
    value = (value ^ (value >> 13)) * 0xc2b2ae35;
    return value ^ (value >> 16);
  }
  /// The hash of a whole text.
  static uint32_t of(std::string_view text);

private:
  uint64_t state = 0xcbf29ce484222325;
};

/// The texts and ids of tokens. Entry k is the k-th token that the compiler
/// added; the texts of all entries lie one after another in `text`.
struct Vocabulary {
  std::string_view text;
  /// Where the texts of each block of 2^blockBits entries begin.
  std::span<const uint32_t> blocks;
  uint32_t blockBits = 0;
  /// Where the text of each entry ends, from the beginning of its block; it
  /// begins where the one before ends.
  std::span<const uint16_t> ends;
  /// The id of each entry, and the entries sorted by id. Both are empty if
  /// entry k has id k.
  std::span<const int32_t> ids;
  std::span<const uint32_t> byId;
  /// A hash table with open addressing, at most two thirds full; see slotOf.
  std::span<const uint32_t> slots;
  /// Number of bytes of the longest token.
  uint64_t longest = 0;

  /// What a slot holds: the number of its entry, counted from 1, in the low
  /// bits, as many as `entries` needs, and in the others the low bits of the
  /// hash of its text. An empty slot is 0. Comparing a slot with that of a text
  /// thus decides nearly every case without reading the entry's text.
  static uint32_t slotOf(uint32_t hash, uint32_t entry, size_t entries) {
    return static_cast<uint32_t>(uint64_t{hash} << std::bit_width(entries)) |
           entry;
  }
  /// Where the search for a hash begins in a table of `size` slots: its high
  /// bits choose the slot.
  static size_t placeOf(uint32_t hash, size_t size) {
    return uint64_t{hash} * size >> 32;
  }

  static auto fields(auto &self) {
    return std::tie(self.text, self.blocks, self.blockBits, self.ends, self.ids,
                    self.byId, self.slots, self.longest);
  }
  /// Throws Error if the tables are damaged.
  void check() const;

  /// The id of a token; nullopt if there is none.
  std::optional<int32_t> find(std::string_view token) const;
  /// The text of an id; nullopt if there is no such id.
  std::optional<std::string_view> token(int32_t id) const;

  /// A token at the beginning of a text, and its length in bytes.
  struct Prefix {
    size_t bytes;
    int32_t id;
  };
  /// The tokens that are prefixes of `text`, the shortest first. Only prefixes
  /// that end with a whole character count.
  void prefixes(std::string_view text, std::vector<Prefix> &found) const;

  /// Number of tokens.
  size_t size() const { return ends.size(); }

private:
  /// Throws Error if the entry does not exist or its text leaves `text`.
  std::string_view textOf(size_t entry) const;
  /// The id of an entry, which must exist.
  int32_t idOf(size_t entry) const;
  /// Searches the hash table; `hash` is that of the token.
  std::optional<size_t> entryOf(std::string_view token, uint32_t hash) const;
};

} // namespace transfold::runtime::inline tokenizer
