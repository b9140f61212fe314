// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of a GGUF file, each with its text and what it is for.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_GGUF_TOKENLIST_H
#define TRANSFOLD_COMPILER_TOKENIZER_GGUF_TOKENLIST_H

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transfold::tokenizer {

class TokenList {
public:
  using Type = checkpoint::GgufTokenType;

  /// Throws runtime::Error where lists differ in length, tokens occur twice or
  /// are not UTF-8.
  explicit TokenList(const checkpoint::GgufTokenizer &source);

  size_t size() const { return texts.size(); }
  const std::string &text(size_t id) const { return texts[id]; }
  Type type(size_t id) const { return types[id]; }
  /// Control tokens and the unknown one: what nobody may write who only gives
  /// texts.
  bool isSpecial(size_t id) const {
    return type(id) == Type::Control || type(id) == Type::Unknown;
  }
  /// Scores by id; 0 where the file has none.
  const std::vector<float> &scores() const { return allScores; }

  /// A token of the file, `otherwise` where it does not say, nothing where
  /// there is no such id.
  std::optional<int32_t> id(const std::optional<uint32_t> &given,
                            std::optional<uint32_t> otherwise) const;

  /// The vocabulary and the added tokens. Special tokens are no words, so that
  /// no text becomes one. `spelling` is how a word is spelt in the vocabulary.
  void describe(runtime::Description &description, Storage &storage,
                const std::function<std::string(const std::string &)>
                    &spelling = {}) const;

private:
  std::vector<std::string> texts;
  std::vector<Type> types;
  std::vector<float> allScores;
};

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_GGUF_TOKENLIST_H
