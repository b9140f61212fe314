// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A word is one token, or the unknown token.

#pragma once

#include "runtime/tokenizer/Model.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The model without any splitting of words; immutable.
struct WordLevel {
  std::optional<int32_t> unknown;

  static auto fields(auto &self) { return std::tie(self.unknown); }

  /// Appends the token of one word, which must not be empty. Throws Error if
  /// the word is not in the vocabulary and there is no unknown token.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;
};

} // namespace transfold::runtime::inline tokenizer
