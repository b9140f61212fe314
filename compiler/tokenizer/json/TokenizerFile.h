// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses tokenizer.json as Hugging Face writes it. Nearly all of it is the
// vocabulary and the merges, which are parsed directly into their tables; the
// rest becomes a JSON tree.

#pragma once

#include "compiler/tokenizer/Merges.h"
#include "compiler/tokenizer/VocabularyBuilder.h"

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace transfold::tokenizer {

/// The contents of a tokenizer.json.
struct TokenizerFile {
  /// The file without model.vocab and model.merges.
  nlohmann::json settings;
  VocabularyBuilder vocabulary;
  /// The scores by id, if model.vocab is a list of tokens with scores.
  std::vector<double> scores;
  Merges merges;
  bool hasMerges = false; // whether the key exists, even for an empty list

  /// Parses the text of a file. Throws Error.
  static TokenizerFile parse(std::string_view text);
};

} // namespace transfold::tokenizer
