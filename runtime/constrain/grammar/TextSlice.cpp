// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/grammar/TextSlice.h"

#include "runtime/constrain/automaton/Regex.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

const std::array<TextSlice, sliceCount> &textSlices() {
  static const std::array slices = [] {
    ConstraintBudget budget;
    auto one = [&](std::string_view regex, uint8_t example) {
      return TextSlice{
          regexDfa(regex, TextForm::Plain, RegexMatch::Whole, budget), example};
    };
    return std::array{one(R"([^"\\\x00-\x1f])", '~'), one(R"(\w)", 'm')};
  }();
  return slices;
}

namespace {

/// Follows the characters of a slice from one state of an automaton.
class AlikeCheck {
public:
  AlikeCheck(const Dfa &dfa, const Dfa &character, uint32_t target,
             ConstraintBudget &budget)
      : dfa(dfa), character(character), target(target), budget(budget) {}

  /// Whether all rests of characters lead from `state` to the target.
  bool leadsToTarget(uint32_t state, uint32_t place) const {
    return std::ranges::all_of(
        character.edges(place), [&](const Dfa::Edge &edge) {
          int low = edge.low;
          for (const Dfa::Edge &mine : dfa.edges(state)) {
            budget.work();
            if (mine.high < low)
              continue;
            if (mine.low > edge.high)
              break;
            // Bytes before this edge cannot be read.
            if (mine.low > low && target != Dfa::dead)
              return false;
            const bool isRight = character.accepts(edge.next)
                                     ? mine.next == target
                                     : leadsToTarget(mine.next, edge.next);
            if (!isRight)
              return false;
            low = mine.high + 1;
          }
          return low > edge.high || target == Dfa::dead;
        });
  }

private:
  const Dfa &dfa, &character;
  const uint32_t target;
  ConstraintBudget &budget;
};

} // namespace

std::vector<AlikeSlices> alikeSlices(const Dfa &dfa, ConstraintBudget &budget) {
  std::vector<AlikeSlices> result(dfa.size());
  for (uint32_t state = 0; state < dfa.size(); ++state)
    for (size_t i = 0; i < sliceCount; ++i) {
      const TextSlice &slice = textSlices()[i];
      const AlikeCheck check(dfa, slice.character,
                             dfa.next(state, slice.example), budget);
      if (check.leadsToTarget(state, 0))
        result[state] |= static_cast<AlikeSlices>(1 << i);
    }
  return result;
}

} // namespace transfold::runtime::inline constrain
