// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics of turns. Medians of ratios within rounds are used, since times of
// different rounds are not comparable on a machine with other load.

#include "compiler/driver/tune/InterleavedTiming.h"

#include "base/numeric/Median.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::driver;

TurnComparison driver::compareTurns(const Times &before, const Times &after) {
  TurnComparison comparison;
  comparison.rounds = std::min(before.size(), after.size());
  if (comparison.rounds == 0)
    return comparison;
  Times ratios;
  for (size_t round = 0; round < comparison.rounds; ++round) {
    ratios.push_back(after[round] / before[round]);
    comparison.won += after[round] < before[round];
  }
  comparison.before = median(before);
  comparison.after = median(after);
  comparison.ratio = median(ratios);
  return comparison;
}

bool TurnComparison::isFaster(double by) const {
  return rounds >= fewestRounds && 5 * won >= 4 * rounds && ratio < 1 - by;
}

std::string TurnComparison::text() const {
  return fmt::format("faster in {} of {} rounds", won, rounds);
}

std::optional<size_t> driver::chooseFastest(const Times &rule,
                                            const std::vector<Times> &others) {
  std::optional<size_t> fastest;
  double least = 1;
  for (size_t k = 0; k < others.size(); ++k) {
    TurnComparison comparison = compareTurns(rule, others[k]);
    if (!comparison.isFaster(leastGain) || comparison.ratio >= least)
      continue;
    fastest = k;
    least = comparison.ratio;
  }
  return fastest;
}
