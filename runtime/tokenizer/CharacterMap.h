// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map of characters as SentencePiece compiles it: a double-array trie of
// what is replaced, and the texts that replace it, each ended by a zero.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERMAP_H
#define TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERMAP_H

#include "runtime/tokenizer/Unicode.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime {

class CharacterMap {
public:
  /// Reads a tokenizer's "normalizer" of type Precompiled. Throws Error.
  static CharacterMap read(const nlohmann::json &settings);
  /// From the bytes of a map; empty bytes map nothing.
  explicit CharacterMap(std::string_view bytes);

  /// The text may become `most` characters long. Throws Error.
  void apply(Characters &text, size_t most) const;

private:
  std::vector<uint32_t> trie;
  std::string replacements; // UTF-8

  std::optional<std::string_view> replacement(std::string_view text) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERMAP_H
