// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merges of byte pairs: as files list them, and as the table of
// runtime/tokenizer/models/BytePairs.h.

#pragma once

#include "runtime/tokenizer/models/BytePairs.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::tokenizer {

/// Pairs of tokens that are merged into one, by descending priority.
class Merges {
public:
  /// Appends a pair. All texts are stored in one, since there are many.
  void add(std::string_view left, std::string_view right) {
    for (std::string_view part : {left, right}) {
      text += part;
      ends.push_back(static_cast<uint32_t>(text.size()));
    }
  }
  size_t size() const { return ends.size() / 2; }
  /// Pair `i`; the views are valid until the next `add`.
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

/// Which of two merges of the same pair counts.
enum class TwoMerges { First, Last };

/// The merge table over a vocabulary in which the right part of a pair begins
/// with `continuing`. Throws Error if a part is not in the vocabulary.
std::vector<runtime::BytePairs::Merge>
mergeTable(const Merges &merges, const runtime::Vocabulary &words,
           std::string_view continuing, TwoMerges counts);

/// The ids of the byte tokens "<0x00>" to "<0xFF>"; -1 for absent ones.
runtime::ByteTokens byteTokensOf(const runtime::Vocabulary &words);

} // namespace transfold::tokenizer
