// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the tables of added tokens, which are matched verbatim in a text
// (runtime/tokenizer/split/AddedTokens.h).

#pragma once

#include "compiler/tokenizer/Storage.h"
#include "compiler/tokenizer/VocabularyBuilder.h"
#include "runtime/tokenizer/Description.h"
#include "runtime/tokenizer/split/AddedTokens.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// Builds the table that finds added tokens in a text.
class AddedTokensBuilder {
public:
  /// Of tokens with the same content, the first counts; empty ones are ignored.
  /// Throws Error if the content is too long.
  void add(const Characters &content, const runtime::AddedTokens::Token &token);
  /// Fills all fields except `longestFirst`.
  runtime::AddedTokens finish(Storage &storage);

private:
  VocabularyBuilder contents;
  std::vector<runtime::AddedTokens::Token> tokens;
  /// For each first character, the lengths of its tokens, the longest first.
  std::map<char32_t, std::set<uint32_t, std::greater<>>> lengths;
};

/// Builds the table of the texts of added tokens, by id.
class AddedTextsBuilder {
public:
  /// Of tokens with the same id the last counts.
  void add(int32_t id, std::string content, bool special) {
    texts.insert_or_assign(id, std::pair(std::move(content), special));
  }
  /// The table, sorted by id; its texts are copied into the storage.
  runtime::AddedTexts finish(Storage &storage) const;

private:
  std::map<int32_t, std::pair<std::string, bool>> texts;
};

} // namespace transfold::tokenizer
