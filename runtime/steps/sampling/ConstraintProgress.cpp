// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/steps/sampling/ConstraintProgress.h"

#include "runtime/constrain/TextConstraint.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline steps {

struct ConstraintProgress::State {
  Matcher matcher;
  std::vector<int32_t> seen = {}; // tokens that the matcher has read
  std::vector<std::pair<size_t, double>> ends = {}; // of apply()
};

ConstraintProgress::ConstraintProgress() = default;
ConstraintProgress::ConstraintProgress(const ConstraintProgress &) {}
ConstraintProgress &
ConstraintProgress::operator=(const ConstraintProgress &other) {
  if (this != &other)
    state.reset();
  return *this;
}
ConstraintProgress::ConstraintProgress(ConstraintProgress &&) noexcept =
    default;
ConstraintProgress &
ConstraintProgress::operator=(ConstraintProgress &&) noexcept = default;
ConstraintProgress::~ConstraintProgress() = default;

/// Reads the tokens that were generated since the last call.
void ConstraintProgress::follow(const TextConstraint &constraint,
                                std::span<const int32_t> made) {
  const bool continues =
      state && state->seen.size() <= made.size() &&
      std::ranges::equal(state->seen, made.first(state->seen.size()));
  if (!continues)
    state = std::make_unique<State>(
        State{Matcher(constraint.grammar, constraint.index)});
  for (int32_t token : made.subspan(state->seen.size())) {
    const auto id = static_cast<uint32_t>(token);
    // Tokens that add no text do not matter.
    const bool hasText =
        id < constraint.index->size() && !constraint.index->text(id).empty();
    if (hasText && !state->matcher.append(id))
      fail("token {} does not follow the constraint of the text", token);
    state->seen.push_back(token);
  }
}

void ConstraintProgress::apply(const TextConstraint &constraint,
                               std::span<const int32_t> made,
                               std::span<double> scores) {
  follow(constraint, made);
  const TokenBits &bits = state->matcher.tokens();
  const bool isComplete = state->matcher.isComplete();
  state->ends.clear();
  if (isComplete)
    for (int32_t token : constraint.ends)
      if (const auto index = static_cast<size_t>(token); index < scores.size())
        state->ends.emplace_back(index, scores[index]);
  bool isAny = !state->ends.empty();
  for (size_t word = 0; word * 64 < scores.size(); ++word) {
    const uint64_t allowed = word < bits.size() ? bits[word] : 0;
    const auto part = scores.subspan(
        word * 64, std::min<size_t>(64, scores.size() - word * 64));
    isAny |= allowed != 0;
    if (allowed == 0)
      std::ranges::fill(part, -INFINITY);
    else if (allowed != UINT64_MAX)
      for (size_t i = 0; i < part.size(); ++i)
        if (!(allowed >> i & 1))
          part[i] = -INFINITY;
  }
  for (auto [index, score] : state->ends)
    scores[index] = score;
  if (isAny)
    return;
  if (isComplete)
    fail("the text is complete, but the model has no token that ends it");
  fail("no token of the vocabulary can follow in the constraint of the text");
}

} // namespace transfold::runtime::inline steps
