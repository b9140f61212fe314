// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/bench/RandomRequests.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

int64_t randomBetween(int64_t least, int64_t most, std::mt19937 &random) {
  return least + static_cast<int64_t>(random() %
                                      static_cast<uint64_t>(most - least + 1));
}

void fillAtRandom(Call &call, size_t sequence, std::mt19937 &random) {
  const Entry &entry = call.entry();
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    if (argument.defaultValue)
      continue;
    if (argument.integer)
      for (int32_t &value : call.integers(i, sequence))
        value = static_cast<int32_t>(
            random() % static_cast<uint32_t>(
                           std::clamp<int64_t>(argument.bound, 1, INT32_MAX)));
    else
      for (float &value : call.reals(i, sequence))
        value = static_cast<float>(random()) * 0x1p-31f - 1.0f;
  }
}

void fillDefaults(Call &call) {
  for (size_t i = 0; i < call.entry().arguments.size(); ++i)
    if (call.entry().arguments[i].defaultValue)
      call.fill(i);
}

std::vector<int64_t> randomLengths(const Entry &entry, int64_t longest,
                                   std::mt19937 &random) {
  std::vector<int64_t> lengths;
  // Lengths that follow from others, such as those after strided convolutions,
  // may need longer ones than `longest`.
  constexpr int64_t mostMore = 1 << 20;
  for (int64_t more = 0; more <= mostMore; more = 2 * more + 1) {
    lengths.clear();
    for (size_t k = 0; k < entry.lengths.size(); ++k) {
      const int64_t least = entry.least[k] + more,
                    most = entry.limits[k].value_or(least + longest);
      lengths.push_back(std::min(
          most, randomBetween(least, std::max(least, longest), random)));
    }
    deriveLengths(entry, lengths);
    if (areLongEnough(entry, lengths))
      break;
  }
  return lengths;
}

} // namespace transfold::runtime::inline commands
