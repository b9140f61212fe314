// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What models of all file formats have in common.

#pragma once

#include "runtime/tokenizer/tables/Vocabulary.h"

#include <span>

namespace transfold::tokenizer {

/// For models that try every prefix of a word. Throws Error if a token
/// is so long that this would take minutes.
void checkTokenLengths(const runtime::Vocabulary &words);

/// The score of a character that is not a token, given the scores of the
/// tokens.
double unknownScoreOf(std::span<const double> scores);

} // namespace transfold::tokenizer
