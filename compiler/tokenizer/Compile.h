// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's tokenizer as the bytes that its program carries.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_COMPILE_H
#define TRANSFOLD_COMPILER_TOKENIZER_COMPILE_H

#include "compiler/checkpoint/TokenizerSource.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// Why there can be no tokenizer, and what to do: one message that starts with
/// the file's path.
class TokenizerError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The tables that runtime::Tokenizer takes; empty where the model has no
/// tokenizer. What is done in another way than a file says goes to `warnings`,
/// with the file's path. Throws TokenizerError for what is damaged or not known
/// here.
std::string compileTokenizer(const checkpoint::TokenizerSource &source,
                             std::vector<std::string> *warnings = nullptr);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_COMPILE_H
