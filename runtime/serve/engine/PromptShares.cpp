// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the tokens of a step: a part for the oldest prompt, then whole
// prompts from the shortest on, and the rest to those that remain.

#include "runtime/serve/engine/PromptShares.h"

#include <algorithm>
#include <numeric>

namespace transfold::runtime::serve {

namespace {

constexpr size_t oldestPart =
    4; // the oldest prompt gets one of this many parts

} // namespace

std::vector<size_t> promptShares(std::span<const size_t> rests, bool isTokenDue,
                                 size_t usual) {
  std::vector<size_t> shares(rests.size(), 0);
  if (rests.empty())
    return shares;
  std::vector<size_t> shortestFirst(rests.size());
  std::iota(shortestFirst.begin(), shortestFirst.end(), 0);
  std::ranges::stable_sort(
      shortestFirst, [&](size_t a, size_t b) { return rests[a] < rests[b]; });
  size_t left = isTokenDue ? promptTokensBesideAnswers : usual;
  auto give = [&](size_t prompt, size_t count) {
    count = std::min({count, left, rests[prompt] - shares[prompt]});
    shares[prompt] += count;
    left -= count;
  };
  if (isTokenDue || rests.front() > left)
    give(0, left / oldestPart);
  for (size_t prompt : shortestFirst)
    if (rests[prompt] - shares[prompt] <= left) {
      // Its first token comes with this step, so a client waits for the step.
      isTokenDue = true;
      give(prompt, left);
    }
  if (isTokenDue)
    left = std::min(left, promptTokensBesideAnswers);
  for (size_t prompt : shortestFirst)
    give(prompt, left);
  return shares;
}

} // namespace transfold::runtime::serve
