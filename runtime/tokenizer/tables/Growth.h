// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of what a tokenizer may specify. A file of a few kilobytes can
// describe steps that double a text forty times, or tokens of a megabyte that
// are compared at every character; no real tokenizer does. The limits leave
// room for the longest real case: a character whose compatible form has 18
// characters, written as two bytes each.

#pragma once

#include "base/Error.h"

#include <cstddef>
#include <variant>

namespace transfold::runtime::inline tokenizer {

/// The maximum length of a text after all steps of a stage.
constexpr size_t mostCharacters(size_t before) { return 64 * (before + 1); }

/// Throws Error if size > most; `what` is the name of the stage: "normalizer".
inline void checkGrowth(const char *what, size_t size, size_t most) {
  if (size > most)
    fail("the tokenizer's {} makes this text more than 64 times as long", what);
}

/// Maximum number of steps of one stage.
constexpr size_t mostSteps = 64;
/// Maximum number of special tokens around a text.
constexpr size_t mostSpecialTokens = 1024;
/// Maximum number of bytes of a token that is searched for in a text, and of a
/// prefix or suffix that is added to each of its characters.
constexpr size_t mostTokenBytes = 1024;
constexpr size_t mostAffixBytes = 64;

/// Applies a step to `content`; some steps limit the result themselves.
template <typename Step, typename Content>
void applyStep(const Step &step, Content &content, size_t most) {
  std::visit(
      [&](const auto &own) {
        if constexpr (requires { own.apply(content, most); })
          own.apply(content, most);
        else
          own.apply(content);
      },
      step);
}

} // namespace transfold::runtime::inline tokenizer
