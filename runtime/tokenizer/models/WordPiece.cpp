// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy search for the longest token at each place. All prefixes of the rest
// of a word are looked up in one pass (Vocabulary::prefixes).

#include "runtime/tokenizer/models/WordPiece.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

void WordPiece::tokenize(const Vocabulary &words,
                         std::span<const Character> word,
                         std::vector<Token> &tokens) const {
  Token whole{unknown, word.front().begin, word.back().end};
  if (word.size() > longestWord) {
    tokens.push_back(whole);
    return;
  }
  size_t first = tokens.size();
  std::string piece;
  std::vector<size_t> ends; // byte length of the piece up to each character
  std::vector<Vocabulary::Prefix> prefixes;
  for (size_t begin = 0; begin < word.size();) {
    piece = begin ? continuing : "";
    ends.clear();
    for (size_t i = begin; i < word.size() && piece.size() <= words.longest;
         ++i) {
      appendUtf8(piece, word[i].code);
      ends.push_back(piece.size());
    }
    words.prefixes(piece, prefixes);
    // "##" alone may be a token, which does not cover any part of the word.
    if (prefixes.empty() || prefixes.back().bytes < ends.front()) {
      tokens.resize(first);
      tokens.push_back(whole);
      return;
    }
    auto [bytes, id] = prefixes.back();
    size_t end = begin + 1 +
                 static_cast<size_t>(std::ranges::lower_bound(ends, bytes) -
                                     ends.begin());
    tokens.push_back({id, word[begin].begin, word[end - 1].end});
    begin = end;
  }
}

} // namespace transfold::runtime::inline tokenizer
