// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequences in which requests run, with the tokens that earlier requests
// left in them: a prompt that shares a prefix with one of them continues from
// there.

#pragma once

#include "runtime/steps/Steps.h"

#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

/// A fixed number of slots, each with one sequence; for use by one thread.
class PrefixSlots {
public:
  /// Creates `count` sequences of `steps`, all of them free.
  PrefixSlots(Steps &steps, size_t count);

  bool hasFree() const;
  /// Takes a free slot for a prompt. Its sequence may already hold a prefix of
  /// the prompt, but never all of it: the last token is run for its logits.
  size_t take(std::span<const int32_t> prompt);
  /// Frees the slot; its tokens stay available for later prompts.
  void release(size_t slot);
  /// Frees the slot and empties its sequence, whose state is not reliable.
  void clear(size_t slot);

  size_t sequence(size_t slot) const { return slots[slot].sequence; }
  /// Number of tokens in the slot's sequence.
  size_t length(size_t slot) const {
    return static_cast<size_t>(steps.length(slots[slot].sequence));
  }
  /// Records that `tokens` were run in the slot's sequence.
  void append(size_t slot, std::span<const int32_t> tokens);

private:
  struct Slot {
    size_t sequence;
    std::vector<int32_t> tokens = {}; // of the sequence
    bool isFree = true;
    uint64_t lastUse = 0;
  };

  Steps &steps;
  std::vector<Slot> slots;
  uint64_t uses = 0;

  size_t reusable(const Slot &slot, std::span<const int32_t> prompt) const;
  /// The free slot that was unused for longest. Throws Error if there is none.
  size_t oldestFree() const;
};

} // namespace transfold::runtime::serve
