// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a map of characters. The layout is a 32-bit size, the trie of that many
// bytes, and the replacements.

#include "compiler/tokenizer/ReadCharacterMap.h"

#include "base/Error.h"

namespace transfold::tokenizer {

/// The 32-bit little-endian number at an offset.
static uint32_t word(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

runtime::CharacterMap readCharacterMap(std::string_view bytes,
                                       Storage &storage) {
  runtime::CharacterMap map;
  if (bytes.empty())
    return map;
  if (bytes.size() < 4)
    fail("the precompiled_charsmap ends early");
  size_t size = word(bytes, 0);
  if (size > bytes.size() - 4 || size % 4 != 0)
    fail("the precompiled_charsmap ends early");
  std::vector<uint32_t> trie;
  for (size_t at = 4; at < 4 + size; at += 4)
    trie.push_back(word(bytes, at));
  map.trie = storage.keep(std::move(trie));
  map.replacements = storage.keep(std::string(bytes.substr(4 + size)));
  if (repairUtf8(map.replacements) != map.replacements)
    fail("the precompiled_charsmap is not UTF-8");
  return map;
}

} // namespace transfold::tokenizer
