// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses notations for one character of a text: an escape, or a set in
// brackets.

#pragma once

#include "compiler/tokenizer/pattern/CharacterTree.h"
#include "compiler/tokenizer/pattern/ExpressionText.h"

namespace transfold::tokenizer {

/// Parses what follows a backslash: "d", "p{L}", "x41", or the character
/// itself.
runtime::CharacterClass parseEscape(ExpressionText &text);

/// Parses what follows a '[', up to its ']'.
CharacterTree parseBracket(ExpressionText &text);

} // namespace transfold::tokenizer
