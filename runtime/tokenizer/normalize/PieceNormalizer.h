// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SentencePiece's normalization before a text is split into pieces: characters
// are replaced, spaces are replaced by a printable mark, and a space is added
// before the text. This is one step, since spaces that result from character
// replacement count as well.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <cstdint>
#include <tuple>

namespace transfold::runtime::inline tokenizer {

/// The settings of SentencePiece's normalizer; immutable.
struct PieceNormalizer {
  CharacterMap map; // longest match
  /// Texts that are not changed: user-defined pieces.
  Vocabulary kept;
  /// Where a space is added if there is none: never, before the part at the
  /// beginning of the whole text, or before each part of it.
  enum Prefix : uint8_t { Never, First, Always } prefix;
  bool removeExtra;   // at the ends; several spaces become one
  bool escape;        // spaces become U+2581
  bool spaceIsSuffix; // the space is added after the text

  static auto fields(auto &self) {
    return std::tie(self.map, self.kept, self.prefix, self.removeExtra,
                    self.escape, self.spaceIsSuffix);
  }

  /// Rewrites a text, which may become `most` characters long. Throws Error.
  void apply(Characters &text, size_t most) const;
};

} // namespace transfold::runtime::inline tokenizer
