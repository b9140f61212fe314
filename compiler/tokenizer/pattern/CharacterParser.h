// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands for one character: an escape, or a set in brackets.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERPARSER_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERPARSER_H

#include "compiler/tokenizer/pattern/CharacterTree.h"
#include "compiler/tokenizer/pattern/ExpressionText.h"

namespace transfold::tokenizer {

/// What follows a backslash: "d", "p{L}", "x41", or the character itself.
runtime::CharacterClass parseEscape(ExpressionText &text);

/// What follows a '[', to its ']'.
CharacterTree parseBracket(ExpressionText &text);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_CHARACTERPARSER_H
