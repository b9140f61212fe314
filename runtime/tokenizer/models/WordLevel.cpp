// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lookup for each word.

#include "runtime/tokenizer/models/WordLevel.h"

#include "base/Error.h"

namespace transfold::runtime::inline tokenizer {

void WordLevel::tokenize(const Vocabulary &words,
                         std::span<const Character> word,
                         std::vector<Token> &tokens) const {
  const WordBytes bytes(word);
  std::optional<int32_t> id = words.find(bytes.text());
  if (!id)
    id = unknown;
  if (!id)
    fail("the word '{}' is not in the tokenizer's vocabulary, which has no "
         "unknown token",
         bytes.text());
  tokens.push_back({*id, word.front().begin, word.back().end});
}

} // namespace transfold::runtime::inline tokenizer
