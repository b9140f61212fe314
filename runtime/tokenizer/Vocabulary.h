// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Token text to id and back: one open-addressed table over one block of text,
// since a program builds it at every start.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_VOCABULARY_H
#define TRANSFOLD_RUNTIME_TOKENIZER_VOCABULARY_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

class Vocabulary {
public:
  /// Adds a token; false where it was there already.
  bool insert(std::string_view token, int32_t id);
  /// Adds a token or gives it another id.
  void assign(std::string_view token, int32_t id);
  /// After the last token: makes `token` ready.
  void finish();

  std::optional<int32_t> find(std::string_view token) const;
  /// The text of an id.
  std::optional<std::string_view> token(int32_t id) const;

  struct Prefix {
    size_t bytes;
    int32_t id;
  };
  /// The tokens that `text` begins with, the shortest first.
  void prefixes(std::string_view text, std::vector<Prefix> &found) const;

  size_t size() const { return entries.size(); }
  /// Bytes of the longest token.
  size_t longest() const { return longestToken; }

private:
  struct Entry {
    uint32_t begin, length;
    int32_t id;
  };
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = 0; // counts from 1; 0: empty
  };

  std::string text;
  std::vector<Entry> entries; // in the order of the file
  std::vector<Slot> slots;    // a power of two, at most half full
  /// Entries by id, where id and place in the file differ.
  std::vector<uint32_t> byId;
  size_t longestToken = 0;

  std::string_view textOf(const Entry &entry) const {
    return std::string_view(text).substr(entry.begin, entry.length);
  }
  size_t slotOf(std::string_view token, uint32_t hash) const;
  void grow();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_VOCABULARY_H
