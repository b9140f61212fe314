// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as bytes that are written as characters one can see: a space is U+0120.
// A vocabulary of such characters covers every text (Radford et al. 2019).

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_BYTELEVEL_H
#define TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_BYTELEVEL_H

#include "runtime/tokenizer/characters/Unicode.h"

#include <optional>
#include <string>

namespace transfold::runtime {

/// How a space is written.
constexpr char32_t byteLevelSpace = 0x120;

/// Each character becomes those that its bytes are written as.
void bytesAsCharacters(Characters &text);
/// The bytes that a token's characters stand for; nothing if one stands for
/// none.
std::optional<std::string> bytesOfToken(std::string_view token);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_BYTELEVEL_H
