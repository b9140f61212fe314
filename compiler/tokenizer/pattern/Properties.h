// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of named character classes, as defined by Oniguruma, the library
// with which Hugging Face's tokenizers match expressions.

#pragma once

#include "runtime/tokenizer/characters/Pattern.h"

#include <optional>
#include <string_view>

namespace transfold::tokenizer {

/// \p{name}: a general category, "Lu" or "Uppercase_Letter", a property,
/// "Alphabetic", or a script, "Han". Case, spaces, - and _ in names are
/// ignored. nullopt if the name is not known.
std::optional<runtime::CharacterClass> property(std::u32string_view name);

/// [:name:] in a set: "alpha". nullopt if the name is not known.
std::optional<runtime::CharacterClass> posixClass(std::u32string_view name);

/// The class of a single character.
runtime::CharacterClass onlyCharacter(char32_t code);
/// \d: decimal digits.
runtime::CharacterClass digitClass();
/// \s: white space.
runtime::CharacterClass spaceClass();
/// \w: characters of words.
runtime::CharacterClass wordClass();
/// \h: hexadecimal digits.
runtime::CharacterClass hexClass();

} // namespace transfold::tokenizer
