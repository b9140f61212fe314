// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unigram model (Kudo 2018): of all segmentations of a word into tokens, the
// one with the largest sum of scores, the logarithms of probabilities.

#pragma once

#include "runtime/tokenizer/Model.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// The scores and settings of one model; immutable.
struct Unigram {
  std::span<const double> scores; // by id
  std::optional<int32_t> unknown;
  /// Score of a character that is not a token.
  double unknownScore = 0;
  std::optional<ByteTokens> byteTokens;
  /// Sums are computed in 32 bits, as in SentencePiece: if two segmentations
  /// are about equally likely, rounding decides.
  bool singlePrecision = false;

  static auto fields(auto &self) {
    return std::tie(self.scores, self.unknown, self.unknownScore,
                    self.byteTokens, self.singlePrecision);
  }

  /// Appends the tokens of one word, which must not be empty. Throws Error if a
  /// character is not a token and there is no unknown token.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  /// The best segmentation up to the end of a token.
  struct Step {
    double score = 0;
    size_t begin = SIZE_MAX; // of the token; SIZE_MAX: none found yet
    int32_t id = 0;
  };

  /// The score of a token. Throws Error if it has none.
  double scoreOf(int32_t id) const;
  /// The best segmentation up to each byte of a word.
  std::vector<Step> bestSteps(const Vocabulary &words,
                              std::string_view word) const;
  /// The unknown token. Throws Error if there is none.
  int32_t unknownId() const;
};

} // namespace transfold::runtime::inline tokenizer
