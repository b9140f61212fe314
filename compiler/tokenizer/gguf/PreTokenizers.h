// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-tokenizers that GGUF files name in tokenizer.ggml.pre. A name stands
// for the expressions of the model's own tokenizer.json, and for a few settings
// that llama.cpp derives from the name.

#pragma once

#include <string_view>
#include <vector>

namespace transfold::tokenizer {

/// The settings that the name of a pre-tokenizer stands for.
struct NamedPreTokenizer {
  /// A text is split at the matches of the first expression, each piece at
  /// those of the second, and so on.
  std::vector<const char *> expressions;
  /// A word that is a token is not split.
  bool wholeWords = false;
  /// The begin-of-text token is added unless the file states otherwise.
  bool addBos = false;
  /// Tokens are bytes, written as visible characters; otherwise they are texts
  /// in which U+2581 is a space.
  bool bytes = true;
};

/// The settings for a name. Throws Error if it is not known.
NamedPreTokenizer preTokenizerNamed(std::string_view name);

} // namespace transfold::tokenizer
