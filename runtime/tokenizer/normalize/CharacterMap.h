// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map of characters as SentencePiece compiles it: a double-array trie of
// what is replaced, and the texts that replace it, each ended by a zero.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_CHARACTERMAP_H
#define TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_CHARACTERMAP_H

#include "runtime/tokenizer/characters/Unicode.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

namespace transfold::runtime {

struct CharacterMap {
  std::span<const uint32_t> trie;
  std::string_view replacements; // UTF-8
  /// Replaces what SentencePiece does: everywhere the longest beginning that
  /// the map has. Otherwise as Hugging Face's tokenizers do: one character as
  /// readers see it after the other, each by the shortest beginning.
  bool longest = false;

  static auto fields(auto &self) {
    return std::tie(self.trie, self.replacements, self.longest);
  }

  /// The text may become `most` characters long. Throws Error.
  void apply(Characters &text, size_t most) const;

  struct Replacement {
    size_t bytes; // of what it replaces
    std::string_view with;
  };
  /// What replaces the shortest or longest beginning of `text` that the map
  /// has. Throws Error where the map is damaged.
  std::optional<Replacement> replacement(std::string_view text) const;

private:
  class Rewriting;
  void replaceLongest(const Characters &text, Rewriting &rewriting) const;
  void replaceClusters(const Characters &text, Rewriting &rewriting) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_CHARACTERMAP_H
