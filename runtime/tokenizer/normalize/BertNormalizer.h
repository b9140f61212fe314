// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BERT's text normalization and splitting into words, before the vocabulary is
// used.

#pragma once

#include "base/text/Unicode.h"

#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// Which changes are made, in this order.
struct BertNormalizer {
  bool cleanText, separateChinese, stripAccents, lowerCase;

  static auto fields(auto &self) {
    return std::tie(self.cleanText, self.separateChinese, self.stripAccents,
                    self.lowerCase);
  }

  /// Normalizes a text.
  void apply(Characters &text) const;
};

/// BertPreTokenizer: words end at white space, and every punctuation character
/// is a separate word. The words are spans of `text`.
std::vector<std::span<const Character>>
bertWords(std::span<const Character> text);

} // namespace transfold::runtime::inline tokenizer
