// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The regular expressions that tokenizers are written with, as instructions of
// a machine (runtime/tokenizer/Pattern.h), in the syntax of Oniguruma:
// alternatives, groups, sets of characters, repetitions, looking ahead and
// behind, options. Nothing refers back to what was matched, so neither does
// this.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PATTERNPARSER_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PATTERNPARSER_H

#include "runtime/tokenizer/Pattern.h"

#include <string>

namespace transfold::tokenizer {

/// Throws runtime::Error where the expression is wrong or uses what is not
/// known here.
runtime::Pattern regex(const std::string &expression);
/// Matches exactly this text.
runtime::Pattern literal(const std::string &text);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_PATTERNPARSER_H
