// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tokenizer.json as Hugging Face writes it. Nearly all of it is the
// vocabulary, which goes into its table directly; the rest becomes a tree.

#ifndef TRANSFOLD_RUNTIME_TOKENIZERFILE_H
#define TRANSFOLD_RUNTIME_TOKENIZERFILE_H

#include "runtime/Vocabulary.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace transfold::runtime {

struct TokenizerFile {
  /// The file without model.vocab where that is an object.
  nlohmann::json settings;
  Vocabulary vocabulary;

  /// Throws Error; messages begin with "tokenizer.json: ".
  static TokenizerFile parse(std::string_view text);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZERFILE_H
