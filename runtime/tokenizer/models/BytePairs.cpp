// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a word into the tokens of its characters, and joins them by rank. A
// character without a token becomes bytes, the unknown token, or nothing, as
// the model specifies.

#include "runtime/tokenizer/models/BytePairs.h"

#include "runtime/tokenizer/tables/Tables.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

void BytePairs::check() const {
  if (merges.empty())
    damagedTables("have no table of merges");
}

std::optional<Parts::Merge<uint32_t>> BytePairs::merge(int32_t left,
                                                       int32_t right) const {
  uint64_t pair = pairOf(left, right);
  size_t at = placeOf(pair, merges.size());
  for (size_t step = 0; step < merges.size(); ++step) {
    const Merge &place = merges[at];
    if (++at == merges.size())
      at = 0;
    if (place.id < 0)
      return std::nullopt;
    if (place.pair == pair)
      return Parts::Merge<uint32_t>{place.rank, place.id};
  }
  return std::nullopt;
}

Parts BytePairs::partsOf(const Vocabulary &words, std::string_view word) const {
  Parts parts;
  parts.list.reserve(word.size()); // a word may be a long text
  // Positions count the bytes appended: as in Hugging Face's tokenizers,
  // characters without a token do not count in the positions either.
  size_t place = 0;
  auto append = [&](int32_t id, size_t bytes) {
    parts.append(id, place, bytes);
    place += bytes;
  };
  size_t unknownBytes = 0; // bytes of an unknown token that may continue
  auto endUnknown = [&] {
    if (unknownBytes)
      append(*unknown, std::exchange(unknownBytes, 0));
  };
  std::string text;
  for (size_t begin = 0, end; begin < word.size(); begin = end) {
    end = begin + characterBytes(word, begin);
    text = begin ? continuing : "";
    text += word.substr(begin, end - begin);
    if (end == word.size())
      text += wordEnd;
    if (auto id = words.find(text)) {
      endUnknown();
      append(*id, end - begin);
    } else if (byteTokens && byteTokens->cover(text)) {
      for (char byte : text)
        append((*byteTokens)[byte], 1);
    } else if (unknown) {
      if (!fuseUnknown)
        endUnknown();
      unknownBytes += end - begin;
    } else if (keepGaps) {
      append(-1, end - begin);
    }
  }
  endUnknown();
  return parts;
}

void BytePairs::tokenize(const Vocabulary &words,
                         std::span<const Character> word,
                         std::vector<Token> &tokens) const {
  WordBytes bytes(word);
  std::string_view text = bytes.text();
  if (wholeWords)
    if (auto id = words.find(text)) {
      tokens.push_back(bytes.token(*id, 0, text.size()));
      return;
    }
  Parts parts = partsOf(words, text);
  parts.join<uint32_t>([&](const Part &left, const Part &right) {
    return merge(left.id, right.id);
  });
  for (const Part &part : parts.list) {
    if (!part.bytes || part.id < 0)
      continue;
    // The end of a part may lie past the end of the word because of an appended
    // word end.
    size_t end = std::min<size_t>(part.begin + part.bytes, text.size());
    tokens.push_back(
        bytes.token(part.id, std::min<size_t>(part.begin, end - 1), end));
  }
}

} // namespace transfold::runtime::inline tokenizer
