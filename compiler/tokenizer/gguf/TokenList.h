// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of a GGUF file, each with its text and type.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// The tokens by id, checked.
class TokenList {
public:
  using Type = checkpoint::GgufTokenType;

  /// Throws Error if lists differ in length, or if tokens are
  /// duplicates or not UTF-8.
  explicit TokenList(const checkpoint::GgufTokenizer &source);

  size_t size() const { return texts.size(); }
  const std::string &text(size_t id) const { return texts[id]; }
  Type type(size_t id) const { return types[id]; }
  /// Control tokens and the unknown token: those that input text must not be
  /// able to produce.
  bool isSpecial(size_t id) const {
    return type(id) == Type::Control || type(id) == Type::Unknown;
  }
  /// Scores by id; 0 if the file has none.
  const std::vector<float> &scores() const { return allScores; }

  /// `given` if it is the id of a token, else `otherwise` if that is one, else
  /// nullopt.
  std::optional<int32_t> id(const std::optional<uint32_t> &given,
                            std::optional<uint32_t> otherwise) const;

  /// A description of the vocabulary and the added tokens only. Special tokens
  /// are not part of the vocabulary, so that no text is encoded as one.
  /// `spelling` maps the text of a token to its form in the vocabulary.
  runtime::Description
  describe(Storage &storage,
           const std::function<std::string(const std::string &)> &spelling = {})
      const;

private:
  std::vector<std::string> texts;
  std::vector<Type> types;
  std::vector<float> allScores;
};

} // namespace transfold::tokenizer
