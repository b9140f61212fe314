// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins characters by score. Unused tokens take part in joining, as in
// SentencePiece, and are then replaced by the parts from which they were made.

#include "runtime/tokenizer/models/ScoredPairs.h"

#include "runtime/tokenizer/models/PairMerging.h"

#include <algorithm>
#include <unordered_map>

namespace transfold::runtime::inline tokenizer {

void ScoredPairs::appendUnknown(const WordBytes &bytes, size_t begin,
                                size_t end, std::vector<Token> &tokens,
                                size_t first) const {
  std::string_view part = bytes.text().substr(begin, end - begin);
  if (!joinsUnknown || byteTokens.cover(part)) {
    for (char byte : part) {
      int32_t id = byteTokens[byte];
      if (id >= 0 || unknown)
        tokens.push_back(bytes.token(id >= 0 ? id : *unknown, begin, end));
    }
    return;
  }
  if (!unknown)
    return;
  Token token = bytes.token(*unknown, begin, end);
  if (tokens.size() > first && tokens.back().id == *unknown)
    tokens.back().end = token.end;
  else
    tokens.push_back(token);
}

void ScoredPairs::tokenize(const Vocabulary &words,
                           std::span<const Character> word,
                           std::vector<Token> &tokens) const {
  WordBytes bytes(word);
  std::string_view text = bytes.text();
  Parts parts;
  for (size_t begin = 0, size; begin < text.size(); begin += size) {
    size = characterBytes(text, begin);
    parts.append(words.find(text.substr(begin, size)).value_or(-1), begin,
                 size);
  }
  auto isUnused = [&](int32_t id) {
    return std::ranges::binary_search(unused, id);
  };
  /// For unused tokens, the last two parts from which they were joined.
  std::unordered_map<int32_t, std::pair<Part, Part>> madeOf;
  using Merge = Parts::Merge<float>;
  parts.join<float>(
      [&](const Part &left, const Part &right) -> std::optional<Merge> {
        auto id = words.find(text.substr(left.begin, left.bytes + right.bytes));
        if (!id || *id < 0 || static_cast<size_t>(*id) >= scores.size())
          return std::nullopt;
        if (isUnused(*id))
          madeOf.insert_or_assign(*id, std::pair(left, right));
        return Merge{-scores[static_cast<size_t>(*id)], *id};
      });
  size_t first = tokens.size();
  auto append = [&](auto &self, const Part &part, size_t begin) -> void {
    auto made = madeOf.find(part.id);
    if (part.id < 0) {
      appendUnknown(bytes, begin, begin + part.bytes, tokens, first);
    } else if (made == madeOf.end()) {
      tokens.push_back(bytes.token(part.id, begin, begin + part.bytes));
    } else {
      auto [left, right] = made->second; // each is shorter than the whole
      self(self, left, begin);
      self(self, right, begin + left.bytes);
    }
  };
  for (const Part &part : parts.list)
    if (part.bytes)
      append(append, part, part.begin);
}

} // namespace transfold::runtime::inline tokenizer
