// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte pair encoding (Sennrich et al. 2016): the characters of a word, joined
// in pairs in the order in which the merges were learnt.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODELS_BYTEPAIRS_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODELS_BYTEPAIRS_H

#include "runtime/tokenizer/Model.h"
#include "runtime/tokenizer/models/PairMerging.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct BytePairs {
  /// What a pair of tokens becomes, and how early it was learnt.
  struct Merge {
    uint64_t pair = 0; // pairOf
    uint32_t rank = 0;
    int32_t id = -1; // -1: an empty place of the table
  };
  static uint64_t pairOf(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 |
           static_cast<uint32_t>(right);
  }
  /// Where in a table of `size` places the search for a pair begins.
  static size_t placeOf(uint64_t pair, size_t size) {
    return (pair * 0x9e3779b97f4a7c15 >> 32) & (size - 1);
  }

  /// Open-addressed; a power of two, at most half full.
  std::span<const Merge> merges;
  std::string continuing, wordEnd; // added to characters inside, at the end
  std::optional<int32_t> unknown;
  bool fuseUnknown = false; // unknown characters side by side are one token
  bool wholeWords = false;  // a word that is a token is not taken apart
  /// What becomes of a character that has no token, nor the unknown one, is
  /// nothing. If this is set, those beside it are not joined over the gap.
  bool keepGaps = false;
  std::optional<ByteTokens> byteTokens;

  static auto fields(auto &self) {
    return std::tie(self.merges, self.continuing, self.wordEnd, self.unknown,
                    self.fuseUnknown, self.wholeWords, self.keepGaps,
                    self.byteTokens);
  }
  void check() const;

  /// Appends the tokens of one word, which is not empty.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  std::optional<Parts::Merge<uint32_t>> merge(int32_t left,
                                              int32_t right) const;
  Parts partsOf(const Vocabulary &words, std::string_view word) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODELS_BYTEPAIRS_H
