// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds tokens without comparing each of them at each position: the first
// character selects a group, and one lookup is made for each length in it.

#include "runtime/tokenizer/split/AddedTokens.h"

#include <algorithm>
#include <string>

namespace transfold::runtime::inline tokenizer {

/// Whether one of the characters comes from text in which special tokens are
/// not recognized.
static bool isTyped(std::span<const Character> text,
                    const std::vector<bool> &typed) {
  if (typed.empty())
    return false;
  return std::ranges::any_of(text, [&](const Character &character) {
    for (size_t at = character.begin; at < character.end; ++at)
      if (at < typed.size() && typed[at])
        return true;
    return false;
  });
}

/// Calls `take` with each token that begins at this position, the longest
/// first, until it returns true.
template <typename Function>
void AddedTokens::forEachAt(std::span<const Character> text, size_t begin,
                            Function take) const {
  auto group =
      std::ranges::lower_bound(groups, text[begin].code, {}, &Group::first);
  if (group == groups.end() || group->first != text[begin].code ||
      group->end > lengths.size())
    return;
  std::string bytes;
  std::vector<size_t> ends; // byte length for each number of characters
  for (size_t i = group->begin; i < group->end; ++i) {
    size_t length = lengths[i];
    if (length == 0 || length > text.size() - begin)
      continue;
    if (ends.empty()) { // the first is the longest
      for (const Character &character : text.subspan(begin, length)) {
        appendUtf8(bytes, character.code);
        ends.push_back(bytes.size());
      }
    }
    if (length > ends.size())
      continue;
    auto found =
        contents.find(std::string_view(bytes).substr(0, ends[length - 1]));
    if (found && *found >= 0 && static_cast<size_t>(*found) < tokens.size() &&
        take(
            Match{&tokens[static_cast<size_t>(*found)], begin, begin + length}))
      return;
  }
}

/// Matches from left to right, the longest at each position.
std::vector<AddedTokens::Match>
AddedTokens::leftmostMatches(std::span<const Character> text,
                             const std::vector<bool> &typed) const {
  std::vector<Match> matches;
  for (size_t at = 0; at < text.size();) {
    size_t next = at + 1;
    forEachAt(text, at, [&](const Match &match) {
      auto [token, begin, end] = match;
      if (token->special && isTyped(text.subspan(begin, end - begin), typed))
        return false;
      next = end;
      bool inWord = token->singleWord &&
                    ((begin > 0 && isWordCharacter(text[begin - 1].code)) ||
                     (end < text.size() && isWordCharacter(text[end].code)));
      if (!inWord)
        matches.push_back(match);
      return true;
    });
    at = next;
  }
  return matches;
}

/// The longest match in the whole text, then the longest in the rest, and so
/// on.
std::vector<AddedTokens::Match>
AddedTokens::longestMatches(std::span<const Character> text,
                            const std::vector<bool> &typed) const {
  std::vector<Match> all;
  for (size_t at = 0; at < text.size(); ++at)
    forEachAt(text, at, [&](const Match &match) {
      if (!match.token->special ||
          !isTyped(text.subspan(at, match.end - at), typed))
        all.push_back(match);
      return false;
    });
  std::ranges::sort(all, [](const Match &one, const Match &other) {
    size_t length = one.end - one.begin, otherLength = other.end - other.begin;
    return length != otherLength ? length > otherLength
                                 : one.begin < other.begin;
  });
  std::vector<bool> taken(text.size());
  std::vector<Match> matches;
  for (const Match &match : all) {
    auto first = taken.begin() + static_cast<std::ptrdiff_t>(match.begin);
    auto last = taken.begin() + static_cast<std::ptrdiff_t>(match.end);
    if (std::find(first, last, true) != last)
      continue;
    std::fill(first, last, true);
    matches.push_back(match);
  }
  std::ranges::sort(matches, {}, &Match::begin);
  return matches;
}

std::optional<AddedTokens::Piece>
AddedTokens::first(std::span<const Character> text,
                   const std::vector<bool> &typed) const {
  std::optional<Piece> found;
  if (!text.empty())
    forEachAt(text, 0, [&](const Match &match) {
      auto piece = text.first(match.end);
      if (match.token->special && isTyped(piece, typed))
        return false;
      found = Piece{match.token->id, piece};
      return true;
    });
  return found;
}

std::vector<AddedTokens::Piece>
AddedTokens::split(std::span<const Character> text,
                   const std::vector<bool> &typed) const {
  std::vector<Piece> pieces;
  size_t done = 0; // end of the text that is already in pieces
  auto piece = [&](int32_t id, size_t end) {
    if (end > done)
      pieces.push_back({id, text.subspan(done, end - done)});
    done = std::max(done, end);
  };
  for (auto [token, begin, end] : longestFirst ? longestMatches(text, typed)
                                               : leftmostMatches(text, typed)) {
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

} // namespace transfold::runtime::inline tokenizer
