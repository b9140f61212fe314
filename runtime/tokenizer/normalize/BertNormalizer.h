// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How BERT prepares text and cuts it into words, before any vocabulary is
// asked.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_BERTNORMALIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_BERTNORMALIZER_H

#include "runtime/tokenizer/characters/Unicode.h"

#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct BertNormalizer {
  bool cleanText, separateChinese, stripAccents, lowerCase;

  static auto fields(auto &self) {
    return std::tie(self.cleanText, self.separateChinese, self.stripAccents,
                    self.lowerCase);
  }

  void apply(Characters &text) const;
};

/// BertPreTokenizer: words end at white space, and every punctuation character
/// is a word of its own. The words lie in `text`.
std::vector<std::span<const Character>>
bertWords(std::span<const Character> text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_NORMALIZE_BERTNORMALIZER_H
