// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What classes of characters with names contain, as Oniguruma has them, the
// library that Hugging Face's tokenizers match expressions with.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PROPERTIES_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PROPERTIES_H

#include "runtime/tokenizer/Pattern.h"

#include <optional>
#include <string_view>

namespace transfold::tokenizer {

/// \p{name}: a general category, "Lu" or "Uppercase_Letter", a property,
/// "Alphabetic", or a script, "Han". Case, spaces, - and _ in names do not
/// count. Nothing where the name is not known.
std::optional<runtime::CharacterClass> property(std::u32string_view name);

/// [:name:] in a set: "alpha". Nothing where the name is not known.
std::optional<runtime::CharacterClass> posixClass(std::u32string_view name);

runtime::CharacterClass onlyCharacter(char32_t code);
runtime::CharacterClass digitClass(); // \d
runtime::CharacterClass spaceClass(); // \s
runtime::CharacterClass wordClass();  // \w
runtime::CharacterClass hexClass();   // \h

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PROPERTIES_H
