// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A character map as SentencePiece compiles it: a double-array trie of the
// texts to be replaced, and their replacements, each terminated by a zero byte.

#pragma once

#include "base/text/Unicode.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

namespace transfold::runtime::inline tokenizer {

/// A map in the program's tables; immutable. It is empty if `trie` is.
struct CharacterMap {
  std::span<const uint32_t> trie;
  std::string_view replacements; // UTF-8
  /// If true, replaces as SentencePiece does: at each position the longest
  /// match. Otherwise as Hugging Face's tokenizers does: grapheme cluster by
  /// grapheme cluster, each by the shortest match.
  bool longest = false;

  static auto fields(auto &self) {
    return std::tie(self.trie, self.replacements, self.longest);
  }

  /// Rewrites a text, which may become `most` characters long. Throws Error.
  void apply(Characters &text, size_t most) const;

  struct Replacement {
    size_t bytes; // length of the replaced text
    std::string_view with;
  };
  /// The replacement of the shortest or longest prefix of `text` in the map.
  /// Throws Error if the map is damaged.
  std::optional<Replacement> replacement(std::string_view text) const;

private:
  class Rewriting;
  /// The two ways to rewrite a text (`longest`).
  void replaceLongest(const Characters &text, Rewriting &rewriting) const;
  void replaceClusters(const Characters &text, Rewriting &rewriting) const;
};

} // namespace transfold::runtime::inline tokenizer
