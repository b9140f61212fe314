// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/match/TokenIndex.h"

namespace transfold::runtime::inline constrain {

TokenIndex::TokenIndex(std::vector<std::string> tokens, bool dropsSpace)
    : texts(std::move(tokens)), dropsFirstSpace(dropsSpace) {
  std::vector<TokenTrie::Word> words;
  for (uint32_t token = 0; token < texts.size(); ++token) {
    if (texts[token].size() > UINT16_MAX)
      texts[token].clear();
    if (!texts[token].empty())
      words.push_back({texts[token], {token, 0}});
  }
  all = TokenTrie(std::move(words));
  for (size_t i = 0; i < sliceCount; ++i)
    fill(slices[i], textSlices()[i].character);
}

/// Number of bytes of the character at the beginning of a text; 0 if it is not
/// one of the automaton's.
static size_t characterOf(const Dfa &character, std::string_view text) {
  uint32_t state = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    state = character.next(state, static_cast<uint8_t>(text[i]));
    if (state == Dfa::dead)
      return 0;
    if (character.accepts(state))
      return i + 1;
  }
  return 0;
}

void TokenIndex::fill(Slice &slice, const Dfa &character) const {
  slice.upTo.assign(mostLead + 1, TokenBits(words()));
  std::vector<TokenTrie::Word> rests;
  for (uint32_t token = 0; token < size(); ++token) {
    std::string_view rest = texts[token];
    if (rest.empty())
      continue;
    uint32_t lead = 0;
    while (size_t bytes = characterOf(character, rest)) {
      rest.remove_prefix(bytes);
      ++lead;
    }
    if (lead > mostLead)
      slice.longTokens.push_back(token);
    else if (!rest.empty())
      rests.push_back({rest, {token, lead}});
    else
      for (size_t i = lead; i <= mostLead; ++i)
        slice.upTo[i][token / 64] |= uint64_t{1} << token % 64;
  }
  slice.rests = TokenTrie(std::move(rests));
}

} // namespace transfold::runtime::inline constrain
