// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unigram model (Kudo 2018): of all ways to cut a word into tokens the one
// whose scores, logarithms of probabilities, have the largest sum.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODELS_UNIGRAM_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODELS_UNIGRAM_H

#include "runtime/tokenizer/Model.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime {

struct Unigram {
  std::span<const double> scores; // by id
  std::optional<int32_t> unknown;
  /// Of a character that is no token.
  double unknownScore = 0;
  std::optional<ByteTokens> byteTokens;
  /// Sums are numbers of 32 bits, as SentencePiece has them: of two ways that
  /// are about equally likely, the rounding says which is taken.
  bool singlePrecision = false;

  static auto fields(auto &self) {
    return std::tie(self.scores, self.unknown, self.unknownScore,
                    self.byteTokens, self.singlePrecision);
  }

  /// Appends the tokens of one word, which is not empty. Throws Error where a
  /// character is no token and there is none for the unknown.
  void tokenize(const Vocabulary &words, std::span<const Character> word,
                std::vector<Token> &tokens) const;

private:
  /// The best way to the end of a token.
  struct Step {
    double score = 0;
    size_t begin = SIZE_MAX; // of the token; SIZE_MAX: no way yet
    int32_t id = 0;
  };

  double scoreOf(int32_t id) const;
  std::vector<Step> bestSteps(const Vocabulary &words,
                              std::string_view word) const;
  int32_t unknownId() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODELS_UNIGRAM_H
