// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tokenizer may ask for. A file of a few kilobytes can describe
// steps that double a text forty times, or tokens of a megabyte that are
// compared at every character; none that works does. The limits leave room for
// the longest thing that is real: a character whose compatible form has 18
// characters, written as two bytes each.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_TABLES_GROWTH_H
#define TRANSFOLD_RUNTIME_TOKENIZER_TABLES_GROWTH_H

#include "runtime/Error.h"

#include <cstddef>

namespace transfold::runtime {

/// How long all steps of a stage together may make a text.
constexpr size_t mostCharacters(size_t before) { return 64 * (before + 1); }

/// `what` of the tokenizer does it: "normalizer".
inline void checkGrowth(const char *what, size_t size, size_t most) {
  if (size > most)
    fail("the tokenizer's {} makes this text more than 64 times as long", what);
}

/// Steps of one stage.
constexpr size_t mostSteps = 64;
/// Special tokens around a text.
constexpr size_t mostSpecialTokens = 1024;
/// Bytes of a token that is searched for in a text, and of a prefix or suffix
/// that is put to each of its characters.
constexpr size_t mostTokenBytes = 1024;
constexpr size_t mostAffixBytes = 64;

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_TABLES_GROWTH_H
