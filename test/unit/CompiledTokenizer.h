// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers as programs have them: compiled to tables, then opened.

#ifndef TRANSFOLD_TEST_UNIT_COMPILEDTOKENIZER_H
#define TRANSFOLD_TEST_UNIT_COMPILEDTOKENIZER_H

#include "compiler/tokenizer/Compile.h"
#include "runtime/tokenizer/Tokenizer.h"

#include <string>
#include <utility>

namespace transfold::test {

/// Before the tokenizer that uses them.
struct TokenizerTables {
  std::string tables;
};

class CompiledTokenizer : private TokenizerTables, public runtime::Tokenizer {
public:
  explicit CompiledTokenizer(const checkpoint::TokenizerSource &source)
      : TokenizerTables{tokenizer::compileTokenizer(source)},
        Tokenizer(tables) {}
  /// Of the text of a tokenizer.json.
  explicit CompiledTokenizer(std::string json)
      : CompiledTokenizer(checkpoint::TokenizerSource(
            checkpoint::TokenizerJson{"tokenizer.json", std::move(json)})) {}
  CompiledTokenizer(const CompiledTokenizer &) = delete;
  CompiledTokenizer &operator=(const CompiledTokenizer &) = delete;
};

} // namespace transfold::test

#endif // TRANSFOLD_TEST_UNIT_COMPILEDTOKENIZER_H
