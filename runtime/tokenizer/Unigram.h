// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unigram model (Kudo 2018): of all ways to cut a word into tokens the one
// whose scores, logarithms of probabilities, have the largest sum.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_UNIGRAM_H
#define TRANSFOLD_RUNTIME_TOKENIZER_UNIGRAM_H

#include "runtime/tokenizer/Model.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <vector>

namespace transfold::runtime {

class Unigram : public Model {
public:
  /// Reads a tokenizer's "model" of type Unigram. Throws Error.
  Unigram(const nlohmann::json &settings, Vocabulary vocabulary,
          std::vector<double> scores);

  void tokenize(std::span<const Character> word,
                std::vector<Token> &tokens) const override;

private:
  /// The best way to the end of a token.
  struct Step {
    double score = 0;
    size_t begin = SIZE_MAX; // of the token; SIZE_MAX: no way yet
    int32_t id = 0;
  };

  std::vector<double> scores; // by id
  std::optional<int32_t> unknown;
  double unknownScore = 0;
  std::optional<ByteTokens> byteTokens;

  std::vector<Step> bestSteps(std::string_view word) const;
  int32_t unknownId() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_UNIGRAM_H
