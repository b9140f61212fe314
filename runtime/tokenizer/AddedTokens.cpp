// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/AddedTokens.h"

#include <algorithm>

namespace transfold::runtime {

void AddedTokens::add(AddedToken token) {
  if (token.content.empty())
    return;
  auto &tokens = byFirst[token.content.front()];
  auto shorter =
      std::find_if(tokens.begin(), tokens.end(), [&](const AddedToken &other) {
        return other.content.size() < token.content.size();
      });
  tokens.insert(shorter, std::move(token));
}

const AddedToken *
AddedTokens::longestAt(std::span<const Character> rest) const {
  auto found = byFirst.find(rest.front().code);
  if (found == byFirst.end())
    return nullptr;
  for (const AddedToken &token : found->second) {
    if (token.content.size() <= rest.size() &&
        std::equal(token.content.begin(), token.content.end(), rest.begin(),
                   [](char32_t code, const Character &character) {
                     return code == character.code;
                   }))
      return &token;
  }
  return nullptr;
}

std::vector<AddedTokens::Piece>
AddedTokens::split(std::span<const Character> text) const {
  std::vector<Piece> pieces;
  size_t done = 0; // up to where the text is in pieces
  auto piece = [&](int32_t id, size_t end) {
    if (end > done)
      pieces.push_back({id, text.subspan(done, end - done)});
    done = std::max(done, end);
  };
  for (size_t at = 0; at < text.size();) {
    const AddedToken *token = longestAt(text.subspan(at));
    if (!token) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + token->content.size();
    at = end;
    if (token->singleWord &&
        ((begin > 0 && isWordCharacter(text[begin - 1].code)) ||
         (end < text.size() && isWordCharacter(text[end].code))))
      continue;
    if (token->leftStrip)
      while (begin > done && isWhitespace(text[begin - 1].code))
        --begin;
    if (token->rightStrip)
      while (end < text.size() && isWhitespace(text[end].code))
        ++end;
    piece(-1, begin);
    piece(token->id, end);
  }
  piece(-1, text.size());
  return pieces;
}

} // namespace transfold::runtime
