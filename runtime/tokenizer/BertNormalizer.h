// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How BERT prepares text and cuts it into words, before any vocabulary is
// asked.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_BERTNORMALIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_BERTNORMALIZER_H

#include "runtime/tokenizer/Unicode.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace transfold::runtime {

class BertNormalizer {
public:
  /// Reads a tokenizer's "normalizer" of type BertNormalizer. Throws Error.
  explicit BertNormalizer(const nlohmann::json &settings);

  void apply(Characters &text) const;

private:
  bool cleanText, separateChinese, stripAccents, lowerCase;
};

/// BertPreTokenizer: words end at white space, and every punctuation character
/// is a word of its own. The words lie in `text`.
std::vector<std::span<const Character>>
bertWords(std::span<const Character> text);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_BERTNORMALIZER_H
