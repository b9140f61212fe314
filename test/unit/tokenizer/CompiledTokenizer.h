// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers in the form that programs use: compiled to tables, then opened.

#pragma once

#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <string>
#include <utility>

namespace transfold::test {

/// Must be declared before the tokenizer, which refers to the tables.
struct TokenizerTables {
  std::string tables;
};

class CompiledTokenizer : private TokenizerTables, public runtime::Tokenizer {
public:
  explicit CompiledTokenizer(const checkpoint::TokenizerSource &source)
      : TokenizerTables{tokenizer::compileTokenizer(source)},
        Tokenizer(tables) {}
  /// From the text of a tokenizer.json.
  explicit CompiledTokenizer(std::string json)
      : CompiledTokenizer(checkpoint::TokenizerSource(
            checkpoint::TokenizerJson{"tokenizer.json", std::move(json)})) {}
  CompiledTokenizer(const CompiledTokenizer &) = delete;
  CompiledTokenizer &operator=(const CompiledTokenizer &) = delete;
};

} // namespace transfold::test
