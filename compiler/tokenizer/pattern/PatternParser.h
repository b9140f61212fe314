// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the regular expressions of tokenizers to instructions of a machine
// (runtime/tokenizer/characters/Pattern.h). The syntax is that of Oniguruma:
// alternatives, groups, sets of characters, repetitions, lookahead and
// lookbehind, options. Back-references do not occur in tokenizers and are not
// supported.

#pragma once

#include "runtime/tokenizer/characters/Pattern.h"

#include <string>

namespace transfold::tokenizer {

/// Compiles an expression. Throws Error if it is wrong or uses
/// unsupported features.
runtime::Pattern regex(const std::string &expression);
/// A pattern that matches exactly this text.
runtime::Pattern literal(const std::string &text);

} // namespace transfold::tokenizer
