// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece (Schuster and Nakajima 2012; Devlin et al. 2019): a word becomes
// the longest token that it begins with, then the longest continuation, and so
// on; a word that cannot be covered becomes the unknown token.

#ifndef TRANSFOLD_RUNTIME_WORDPIECE_H
#define TRANSFOLD_RUNTIME_WORDPIECE_H

#include "runtime/Unicode.h"
#include "runtime/Vocabulary.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// A token of a text: its id, and the code points [begin, end) it stands for.
struct Token {
  int32_t id;
  uint32_t begin, end;
};

class WordPiece {
public:
  /// Reads a tokenizer's "model" of type WordPiece. Throws Error.
  WordPiece(const nlohmann::json &settings, Vocabulary vocabulary);

  /// Appends the tokens of one word; no word is empty.
  void tokenize(std::span<const Character> word,
                std::vector<Token> &tokens) const;

  const Vocabulary &vocabulary() const { return words; }

private:
  Vocabulary words;
  std::string continuing; // "##"
  size_t longestWord;
  int32_t unknown;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_WORDPIECE_H
