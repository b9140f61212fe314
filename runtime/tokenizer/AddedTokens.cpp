// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/AddedTokens.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Growth.h"

#include <algorithm>
#include <string_view>

namespace transfold::runtime {

void AddedTokens::add(AddedToken token) {
  if (token.content.empty())
    return;
  if (token.content.size() > mostTokenBytes)
    fail("tokenizer.json: an added token has {} characters; more than {} are "
         "not supported",
         token.content.size(), mostTokenBytes);
  Group &group = byFirst[token.content.front()];
  group.lengths.insert(token.content.size());
  std::u32string content = token.content;
  group.tokens.try_emplace(std::move(content), std::move(token));
}

const AddedToken *
AddedTokens::longestAt(std::span<const Character> rest) const {
  auto found = byFirst.find(rest.front().code);
  if (found == byFirst.end())
    return nullptr;
  const auto &[tokens, lengths] = found->second;
  std::u32string beginning;
  for (const Character &character :
       rest.first(std::min(rest.size(), *lengths.begin())))
    beginning += character.code;
  for (size_t length : lengths) {
    if (length > beginning.size())
      continue;
    auto token = tokens.find(std::u32string_view(beginning).substr(0, length));
    if (token != tokens.end())
      return &token->second;
  }
  return nullptr;
}

/// Whether one of the characters was typed by somebody who must not write
/// special tokens.
static bool isTyped(std::span<const Character> text,
                    const std::vector<bool> &typed) {
  return std::ranges::any_of(text, [&](const Character &character) {
    for (size_t at = character.begin; at < character.end; ++at)
      if (at < typed.size() && typed[at])
        return true;
    return false;
  });
}

std::vector<AddedTokens::Piece>
AddedTokens::split(std::span<const Character> text,
                   const std::vector<bool> &typed) const {
  std::vector<Piece> pieces;
  size_t done = 0; // up to where the text is in pieces
  auto piece = [&](int32_t id, size_t end) {
    if (end > done)
      pieces.push_back({id, text.subspan(done, end - done)});
    done = std::max(done, end);
  };
  for (size_t at = 0; at < text.size();) {
    const AddedToken *token = longestAt(text.subspan(at));
    if (!token || (token->special &&
                   isTyped(text.subspan(at, token->content.size()), typed))) {
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
