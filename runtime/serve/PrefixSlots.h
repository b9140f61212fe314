// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequences that requests run in, and what those before left there: who
// begins as another one did goes on from where they differ.

#ifndef TRANSFOLD_RUNTIME_SERVE_PREFIXSLOTS_H
#define TRANSFOLD_RUNTIME_SERVE_PREFIXSLOTS_H

#include "runtime/steps/Steps.h"

#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::serve {

class PrefixSlots {
public:
  /// So many sequences of `steps`, all of them free.
  PrefixSlots(Steps &steps, size_t count);

  bool hasFree() const;
  /// A free slot for a prompt. Its sequence has a beginning of the prompt
  /// already, never all of it: the last token is run for its logits.
  size_t take(std::span<const int32_t> prompt);
  /// Nobody needs the slot; its tokens stay for who comes next.
  void release(size_t slot);
  /// The same, where its sequence cannot be trusted: it becomes empty.
  void clear(size_t slot);

  size_t sequence(size_t slot) const { return slots[slot].sequence; }
  /// Tokens that the slot's sequence has.
  size_t length(size_t slot) const {
    return static_cast<size_t>(steps.length(slots[slot].sequence));
  }
  /// These were run in it, too.
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

  size_t oldestFree() const;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_PREFIXSLOTS_H
