// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model's tokenizer to the bytes that its program carries.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace transfold::tokenizer {

/// The reason why a tokenizer cannot be compiled, and what to do: one message
/// that starts with the file's path.
class TokenizerError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The tables that runtime::Tokenizer reads; empty if the model has no
/// tokenizer. Deviations from the file go to `warnings`, with the file's path.
/// Throws TokenizerError for damaged files and unsupported kinds.
std::string compileTokenizer(const checkpoint::TokenizerSource &source,
                             std::vector<std::string> *warnings = nullptr);

} // namespace transfold::tokenizer
