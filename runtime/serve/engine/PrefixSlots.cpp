// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses slots so that as many tokens as possible are reused, and so that
// prefixes that prompts share, such as system messages, stay available: unless
// most of a sequence is reused, the slot that was unused for longest is taken.

#include "runtime/serve/engine/PrefixSlots.h"

#include "base/Error.h"
#include "runtime/steps/Prefix.h"

#include <algorithm>

namespace transfold::runtime::serve {

namespace {

/// Copies of fewer rows are not worth their overhead.
constexpr size_t leastCopied = 8;

} // namespace

PrefixSlots::PrefixSlots(Steps &steps, size_t count) : steps(steps) {
  for (size_t i = 0; i < count; ++i)
    slots.push_back({steps.add()});
}

bool PrefixSlots::hasFree() const {
  return std::ranges::any_of(slots, &Slot::isFree);
}

size_t PrefixSlots::oldestFree() const {
  const Slot *oldest = nullptr;
  for (const Slot &slot : slots)
    if (slot.isFree && (!oldest || slot.lastUse < oldest->lastUse))
      oldest = &slot;
  if (!oldest)
    fail("all slots are taken");
  return static_cast<size_t>(oldest - slots.data());
}

/// The prefix of the prompt from which the slot's sequence can continue.
size_t PrefixSlots::reusable(const Slot &slot,
                             std::span<const int32_t> prompt) const {
  return static_cast<size_t>(steps.lengthHeld(
      slot.sequence,
      static_cast<int64_t>(reusableTokens(slot.tokens, prompt))));
}

size_t PrefixSlots::take(std::span<const int32_t> prompt) {
  size_t best = 0, same = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    size_t found = reusable(slots[i], prompt);
    // Of equally good ones, a free one is preferred: it need not be copied.
    if (found > same || (found == same && !slots[best].isFree))
      best = i, same = found;
  }
  size_t taken = oldestFree();
  // If most of a sequence is reused, the prompt takes its place. Otherwise its
  // rows are copied, so that the longer sequence stays available for other
  // prompts.
  if (slots[best].isFree && 2 * same >= slots[best].tokens.size() && same > 0)
    taken = best;
  Slot &slot = slots[taken];
  if (taken != best && same >= leastCopied && same > reusable(slot, prompt)) {
    steps.copy(slots[best].sequence, slot.sequence, 0);
    slot.tokens = slots[best].tokens;
  }
  int64_t kept = steps.goBack(
      slot.sequence, static_cast<int64_t>(reusableTokens(slot.tokens, prompt)));
  slot.tokens.resize(static_cast<size_t>(kept));
  slot.isFree = false;
  slot.lastUse = ++uses;
  return taken;
}

void PrefixSlots::release(size_t slot) {
  slots[slot].isFree = true;
  slots[slot].lastUse = ++uses;
}

void PrefixSlots::clear(size_t slot) {
  steps.drop(slots[slot].sequence);
  slots[slot] = {steps.add()};
}

void PrefixSlots::append(size_t slot, std::span<const int32_t> tokens) {
  slots[slot].tokens.insert(slots[slot].tokens.end(), tokens.begin(),
                            tokens.end());
}

} // namespace transfold::runtime::serve
