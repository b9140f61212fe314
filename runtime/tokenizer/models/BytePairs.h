// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte pair encoding (Sennrich et al. 2016): the characters of a word, joined
// in pairs in the order of the learned merges.

#pragma once

#include "runtime/tokenizer/Model.h"
#include "runtime/tokenizer/models/PairMerging.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The merges and settings of one model; immutable.
struct BytePairs {
  /// The result of joining a pair of tokens, and the rank of the merge.
  struct Merge {
    uint64_t pair = 0; // pairOf
    uint32_t rank = 0;
    int32_t id = -1; // -1: an empty slot of the table
  };
  static uint64_t pairOf(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 |
           static_cast<uint32_t>(right);
  }
  /// The slot of a table of `size` slots where the search for a pair begins.
  static size_t placeOf(uint64_t pair, size_t size) {
    return (pair * 0x9e3779b97f4a7c15 >> 32) * size >> 32;
  }

  /// A hash table with open addressing, at most two thirds full.
  std::span<const Merge> merges;
  std::string continuing,
      wordEnd; // added to characters inside a word, and at its end
  std::optional<int32_t> unknown;
  bool fuseUnknown = false; // adjacent unknown characters are one token
  bool wholeWords = false;  // a word that is a token is not split
  /// A character that has no token is dropped if there is no unknown token. If
  /// this is set, its neighbors are not joined across the gap.
  bool keepGaps = false;
  std::optional<ByteTokens> byteTokens;

  static auto fields(auto &self) {
    return std::tie(self.merges, self.continuing, self.wordEnd, self.unknown,
                    self.fuseUnknown, self.wholeWords, self.keepGaps,
                    self.byteTokens);
  }
  /// Throws Error if the merges are damaged.
  void check() const;

  /// Appends the tokens of one word, which must not be empty.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  /// The merge of two adjacent tokens; nullopt if there is none.
  std::optional<Parts::Merge<uint32_t>> merge(int32_t left,
                                              int32_t right) const;
  /// The characters of a word as tokens, before any merge.
  Parts partsOf(const Vocabulary &words, std::string_view word) const;
};

} // namespace transfold::runtime::inline tokenizer
