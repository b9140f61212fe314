// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as bytes that are written as printable characters: a space is U+0120. A
// vocabulary of such characters covers every text (Radford et al. 2019).

#pragma once

#include "base/text/Unicode.h"

#include <optional>
#include <string>

namespace transfold::runtime::inline tokenizer {

/// The character that stands for a space.
constexpr char32_t byteLevelSpace = 0x120;

/// Replaces each character by the characters that stand for its bytes.
void bytesAsCharacters(Characters &text);
/// The bytes for which a token's characters stand; nullopt if one does not
/// stand for a byte.
std::optional<std::string> bytesOfToken(std::string_view token);

} // namespace transfold::runtime::inline tokenizer
