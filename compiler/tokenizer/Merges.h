// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merges of byte pairs: as files list them, and as the table of
// runtime/tokenizer/BytePairs.h.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_MERGES_H
#define TRANSFOLD_COMPILER_TOKENIZER_MERGES_H

#include "runtime/tokenizer/BytePairs.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::tokenizer {

/// Pairs of tokens that become one, the first first.
class Merges {
public:
  void add(std::string_view left, std::string_view right) {
    for (std::string_view part : {left, right}) {
      text += part;
      ends.push_back(static_cast<uint32_t>(text.size()));
    }
  }
  size_t size() const { return ends.size() / 2; }
  std::pair<std::string_view, std::string_view> operator[](size_t i) const {
    return {part(2 * i), part(2 * i + 1)};
  }

private:
  std::string text;
  std::vector<uint32_t> ends;

  std::string_view part(size_t i) const {
    uint32_t begin = i ? ends[i - 1] : 0;
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
};

/// Of two merges of one pair, which one counts.
enum class TwoMerges { First, Last };

/// The table of merges over a vocabulary, in which the second part begins with
/// `continuing`. Throws runtime::Error where a part is not in the vocabulary.
std::vector<runtime::BytePairs::Merge>
mergeTable(const Merges &merges, const runtime::Vocabulary &words,
           std::string_view continuing, TwoMerges counts);

/// The tokens of bytes, "<0x00>" to "<0xFF>"; -1 for those that are not there.
runtime::ByteTokens byteTokensOf(const runtime::Vocabulary &words);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_MERGES_H
