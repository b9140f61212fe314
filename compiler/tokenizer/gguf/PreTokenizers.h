// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-tokenizers that GGUF files name, tokenizer.ggml.pre. A name stands
// for the expressions that a model's own tokenizer.json has, and for a few
// settings that llama.cpp knows by the name.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_GGUF_PRETOKENIZERS_H
#define TRANSFOLD_COMPILER_TOKENIZER_GGUF_PRETOKENIZERS_H

#include <string_view>
#include <vector>

namespace transfold::tokenizer {

struct NamedPreTokenizer {
  /// A text is cut around the matches of the first, each piece around those of
  /// the second, and so on.
  std::vector<const char *> expressions;
  /// A word that is a token is not taken apart.
  bool wholeWords = false;
  /// The token that begins texts is added where the file does not say.
  bool addBos = false;
  /// Tokens are bytes, written as characters one can see; otherwise they are
  /// texts in which U+2581 is a space.
  bool bytes = true;
};

/// Throws runtime::Error where the name is not known here.
NamedPreTokenizer preTokenizerNamed(std::string_view name);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_GGUF_PRETOKENIZERS_H
