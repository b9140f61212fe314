// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of a step among the prompts that are read at the same time. A short
// prompt is read before a long one that came earlier, and no prompt waits
// forever.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

/// Number of prompt tokens in a step for which a client waits: enough that
/// reading them costs little more per token than in a step of their own, and
/// few enough that no client waits long for its next token.
constexpr size_t promptTokensBesideAnswers = 64;

/// The number of tokens of each prompt in the next step. `rests` are the tokens
/// that each still needs, in order of arrival; `isTokenDue`: the step also
/// generates a token of an answer; otherwise it has `usual` tokens. Prompts
/// that the step completes come first, the shortest one first; a quarter
/// belongs to the oldest prompt, so that it makes progress however many arrive.
std::vector<size_t> promptShares(std::span<const size_t> rests, bool isTokenDue,
                                 size_t usual);

} // namespace transfold::runtime::serve
