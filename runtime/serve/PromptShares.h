// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How prompts that are read at the same time share a step. A short one is read
// before a long one that came earlier, and nobody waits for ever.

#ifndef TRANSFOLD_RUNTIME_SERVE_PROMPTSHARES_H
#define TRANSFOLD_RUNTIME_SERVE_PROMPTSHARES_H

#include <cstddef>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

/// Tokens of prompts in a step for which somebody waits: enough that reading
/// them costs little more a token than in a step of their own, and few enough
/// that nobody waits long for a next token.
constexpr size_t promptTokensBesideAnswers = 64;

/// Tokens that each prompt gets of the next step. `rests` are those that it
/// needs yet, the one that came first first; `isTokenDue`: the step makes a
/// token of an answer, too; else it has `usual` tokens. Prompts that end with
/// the step come before others, and the shortest first; a quarter is of the
/// oldest one, so that it goes on however many come.
std::vector<size_t> promptShares(std::span<const size_t> rests, bool isTokenDue,
                                 size_t usual);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_PROMPTSHARES_H
