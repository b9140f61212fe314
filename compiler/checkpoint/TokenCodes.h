// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that stand for a language or for something else with a code: "__de__",
// ">>de<<", "deu_Latn".

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_TOKENCODES_H
#define TRANSFOLD_COMPILER_CHECKPOINT_TOKENCODES_H

#include "compiler/checkpoint/Directory.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

/// What a token has between the texts before the first and behind the last star
/// of a pattern, where that is a code: letters, digits, - and _, a letter
/// first. With "*_*" a code has a text between its parts.
std::optional<std::string> codeIn(std::string_view token,
                                  std::string_view pattern);

/// Those of a directory of Hugging Face, among all tokens that its files number
/// one by one. Throws CheckpointError.
std::map<std::string, int64_t> huggingFaceCodes(const Directory &directory,
                                                std::string_view pattern);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_TOKENCODES_H
