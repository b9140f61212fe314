// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SentencePiece does to a text before it is cut into pieces: characters
// are replaced, spaces become a mark that one can see, and one is put before
// the text. All of it is one step, since spaces count that only come to be when
// characters are replaced.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_PIECENORMALIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_PIECENORMALIZER_H

#include "runtime/tokenizer/characters/Unicode.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <cstdint>
#include <tuple>

namespace transfold::runtime {

struct PieceNormalizer {
  CharacterMap map; // by the longest beginning
  /// Texts that stay as they are: pieces that users defined.
  Vocabulary kept;
  /// Where a space is put that is not there: nowhere, before what begins where
  /// the whole text does, or before each part of it.
  enum Prefix : uint8_t { Never, First, Always } prefix;
  bool removeExtra;   // spaces at the ends, and all but one of several
  bool escape;        // spaces become U+2581
  bool spaceIsSuffix; // the prefix stands behind the text

  static auto fields(auto &self) {
    return std::tie(self.map, self.kept, self.prefix, self.removeExtra,
                    self.escape, self.spaceIsSuffix);
  }

  /// The text may become `most` characters long. Throws Error.
  void apply(Characters &text, size_t most) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_PIECENORMALIZER_H
