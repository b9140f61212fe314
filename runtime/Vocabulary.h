// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Token text to id: one open-addressed table over one block of text, since a
// program builds it at every start.

#ifndef TRANSFOLD_RUNTIME_VOCABULARY_H
#define TRANSFOLD_RUNTIME_VOCABULARY_H

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
  std::optional<int32_t> find(std::string_view token) const;

  size_t size() const { return count; }
  /// Bytes of the longest token.
  size_t longest() const { return longestToken; }

private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t begin = 0;
    uint32_t length = 0;
    int32_t id = -1; // -1: empty
  };

  std::string text;
  std::vector<Slot> slots; // a power of two, at most half full
  size_t count = 0;
  size_t longestToken = 0;

  size_t slotOf(std::string_view token, uint32_t hash) const;
  void grow();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_VOCABULARY_H
