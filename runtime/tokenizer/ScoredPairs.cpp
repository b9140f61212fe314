// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/ScoredPairs.h"

#include "runtime/tokenizer/PairMerging.h"

namespace transfold::runtime {

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
  using Merge = Parts::Merge<float>;
  parts.join<float>(
      [&](const Part &left, const Part &right) -> std::optional<Merge> {
        auto id = words.find(text.substr(left.begin, left.bytes + right.bytes));
        if (!id || *id < 0 || static_cast<size_t>(*id) >= scores.size())
          return std::nullopt;
        return Merge{-scores[static_cast<size_t>(*id)], *id};
      });
  for (const Part &part : parts.list) {
    if (!part.bytes)
      continue;
    size_t end = part.begin + part.bytes;
    if (part.id >= 0) {
      tokens.push_back(bytes.token(part.id, part.begin, end));
      continue;
    }
    for (size_t at = part.begin; at < end; ++at) {
      int32_t id = byteTokens[text[at]];
      if (id >= 0 || unknown)
        tokens.push_back(bytes.token(id >= 0 ? id : *unknown, part.begin, end));
    }
  }
}

} // namespace transfold::runtime
