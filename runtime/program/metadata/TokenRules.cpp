// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forced tokens override all other rules, and the last token of a text
// overrides the first one, if a text may have only one token.

#include "runtime/program/metadata/TokenRules.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline program {

/// Excludes tokens.
static void suppress(std::span<double> scores,
                     const std::vector<int32_t> &tokens) {
  for (int32_t token : tokens)
    scores[static_cast<size_t>(token)] = -INFINITY;
}

/// Whether `word` lacks only its last token at the end of `tokens`.
static bool isAlmostThere(std::span<const int32_t> tokens,
                          const std::vector<int32_t> &word) {
  auto rest = std::span(word).first(word.size() - 1);
  return rest.size() <= tokens.size() &&
         std::ranges::equal(rest, tokens.last(rest.size()));
}

bool TokenRules::forcesLast(const Place &place) const {
  auto made = static_cast<int64_t>(place.tokens.size() - place.prompt);
  return !last.empty() && made + 1 == place.most;
}

bool TokenRules::cuts(std::span<const double> scores,
                      const Place &place) const {
  if (!forcesLast(place))
    return false;
  auto argmax = std::ranges::max_element(scores) - scores.begin();
  return std::ranges::find(last, static_cast<int32_t>(argmax)) == last.end();
}

void TokenRules::apply(std::span<double> scores, const Place &place) const {
  size_t made = place.tokens.size() - place.prompt;
  bool forcesFirst = place.prompt == 1 && !first.empty();
  const std::vector<int32_t> *forced = nullptr;
  if (forcesFirst && made == 0)
    forced = &first;
  if (forcesLast(place))
    forced = &last;
  if (forced) {
    std::ranges::fill(scores, -INFINITY);
    for (int32_t token : *forced)
      scores[static_cast<size_t>(token)] = 0;
    return;
  }
  suppress(scores, suppressed);
  if (made == (forcesFirst ? 1 : 0))
    suppress(scores, suppressedFirst);
  for (const std::vector<int32_t> &word : excluded)
    if (!word.empty() && isAlmostThere(place.tokens, word))
      scores[static_cast<size_t>(word.back())] = -INFINITY;
  if (times)
    times->apply(scores, place.tokens.subspan(place.prompt));
}

} // namespace transfold::runtime::inline program
