// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Token text to id and back: one open-addressed hash table over one block of
// text. The compiler generates it (compiler/tokenizer/VocabularyBuilder.h), and
// the program uses it in place.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TABLES_VOCABULARY_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TABLES_VOCABULARY_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace transfold::runtime {

/// FNV-1a: the hash of a text extends the hash of its prefix, so all prefixes
/// of a text are hashed in one pass.
class TextHash {
public:
  void add(char byte) {
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  uint32_t value() const {
    return static_cast<uint32_t>(state ^ (state >> 32));
  }
  /// The hash of a whole text.
  static uint32_t of(std::string_view text);

private:
  uint64_t state = 0xcbf29ce484222325;
};

/// The texts and ids of tokens.
struct Vocabulary {
  struct Entry {
    uint32_t begin, length; // in `text`
    int32_t id;
  };
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0; // counted from 1; 0: empty
  };

  std::string_view text;
  std::span<const Entry> entries;
  std::span<const Slot> slots; // size is a power of two, at most half full
  /// Entries by id; only used if entry k does not have id k.
  std::span<const uint32_t> byId;
  /// Number of bytes of the longest token.
  uint64_t longest = 0;

  static auto fields(auto &self) {
    return std::tie(self.text, self.entries, self.slots, self.byId,
                    self.longest);
  }
  /// Throws Error if the tables are damaged.
  void check() const;

  /// The id of a token; nullopt if there is none.
  std::optional<int32_t> find(std::string_view token) const;
  /// The text of an id; nullopt if there is no such id.
  std::optional<std::string_view> token(int32_t id) const;

  struct Prefix {
    size_t bytes;
    int32_t id;
  };
  /// The tokens that are prefixes of `text`, the shortest first. Only prefixes
  /// that end with a whole character count.
  void prefixes(std::string_view text, std::vector<Prefix> &found) const;

  size_t size() const { return entries.size(); }

private:
  std::string_view textOf(const Entry &entry) const;
  const Entry *entryOf(std::string_view token, uint32_t hash) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TABLES_VOCABULARY_H
