// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tokenizer.json as Hugging Face writes it. Nearly all of it is the vocabulary
// and the merges, which go into their tables directly; the rest becomes a tree.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_JSON_TOKENIZERFILE_H
#define TRANSFOLD_COMPILER_TOKENIZER_JSON_TOKENIZERFILE_H

#include "compiler/tokenizer/Merges.h"
#include "compiler/tokenizer/VocabularyBuilder.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace transfold::tokenizer {

struct TokenizerFile {
  /// The file without model.vocab and model.merges.
  nlohmann::json settings;
  VocabularyBuilder vocabulary;
  /// Where model.vocab is a list of tokens with scores: those, by id.
  std::vector<double> scores;
  Merges merges;
  bool hasMerges = false; // the key, perhaps of an empty list

  /// Throws runtime::Error.
  static TokenizerFile parse(std::string_view text);
};

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_JSON_TOKENIZERFILE_H
