// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that stand for a language or something else with a code: "__de__",
// ">>de<<", "deu_Latn".

#pragma once

#include "compiler/checkpoint/Directory.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

/// The part of a token between the text before the first star of a pattern and
/// the text after its last star, if that is a code: letters, digits, - and _, a
/// letter first. With "*_*", the code must contain the text between the stars.
std::optional<std::string> codeIn(std::string_view token,
                                  std::string_view pattern);

/// The codes of a Hugging Face directory, among all tokens whose ids its files
/// state individually. Throws CheckpointError.
std::map<std::string, int64_t> huggingFaceCodes(const Directory &directory,
                                                std::string_view pattern);

} // namespace transfold::checkpoint
