// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizes with the model's own numbers, and then translates them to ids.

#include "runtime/tokenizer/models/NamedPieces.h"

#include "runtime/tokenizer/tables/Tables.h"

namespace transfold::runtime::inline tokenizer {

void NamedPieces::check() const {
  if (unknownPiece < 0 || static_cast<size_t>(unknownPiece) >= ids.size())
    damagedTables("have no unknown piece");
}

void NamedPieces::tokenize(const Vocabulary &words,
                           std::span<const Character> word,
                           std::vector<Token> &tokens) const {
  // The word is treated as a whole text, so that the tokens' positions refer to
  // its characters.
  Characters alone(word.begin(), word.end());
  for (size_t i = 0; i < alone.size(); ++i) {
    alone[i].begin = static_cast<uint32_t>(i);
    alone[i].end = static_cast<uint32_t>(i + 1);
  }
  std::vector<Token> found;
  std::visit([&](const auto &each) { each.tokenize(pieces, alone, found); },
             model);
  for (const Token &token : found) {
    auto number = static_cast<size_t>(token.id);
    if (token.id < 0 || number >= ids.size())
      damagedTables("have a piece without an id");
    std::optional<int32_t> id;
    if (token.id == unknownPiece)
      id = words.find(
          encodeUtf8(word.subspan(token.begin, token.end - token.begin)));
    tokens.push_back({id.value_or(ids[number]), word[token.begin].begin,
                      word[token.end - 1].end});
  }
}

} // namespace transfold::runtime::inline tokenizer
