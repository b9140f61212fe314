// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece (Schuster and Nakajima 2012; Devlin et al. 2019): a word becomes
// the longest token that it begins with, then the longest continuation, and so
// on; a word that cannot be covered becomes the unknown token.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_WORDPIECE_H
#define TRANSFOLD_RUNTIME_TOKENIZER_WORDPIECE_H

#include "runtime/tokenizer/Model.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

class WordPiece : public Model {
public:
  /// Reads a tokenizer's "model" of type WordPiece. Throws Error.
  WordPiece(const nlohmann::json &settings, Vocabulary vocabulary);

  void tokenize(std::span<const Character> word,
                std::vector<Token> &tokens) const override;

private:
  std::string continuing;   // "##"
  size_t longestWord = 100; // characters
  int32_t unknown;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_WORDPIECE_H
