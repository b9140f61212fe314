// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reuse of caches: how much of an earlier sequence a new prompt continues.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace transfold::runtime::inline steps {

/// Number of a sequence's tokens that can be reused for a prompt: the length of
/// their common prefix, but at least the prompt's last token is left over,
/// which is run for its logits. The prompt must not be empty.
inline size_t reusableTokens(std::span<const int32_t> sequence,
                             std::span<const int32_t> prompt) {
  size_t most = std::min(sequence.size(), prompt.size() - 1);
  auto differ = std::ranges::mismatch(sequence.first(most), prompt);
  return static_cast<size_t>(differ.in2 - prompt.begin());
}

} // namespace transfold::runtime::inline steps
