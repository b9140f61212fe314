// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides when one alternative counts as faster than another, if they are
// measured in turn on a machine with other load. Does not depend on MLIR.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace transfold::driver {

/// The times of turns, one in each round.
using Times = std::vector<double>;

/// Compares two alternatives over the same rounds. A round compares turns that
/// ran within moments; a machine that slows down slows both.
struct TurnComparison {
  double before = 0, after = 0; ///< medians
  double ratio = 1;             ///< the median of after / before of a round
  size_t won = 0, rounds = 0;   ///< rounds in which `after` was faster

  /// Whether `after` is faster by at least the share `by`, and not by chance:
  /// it won four of five rounds, of at least five. If both are equally fast,
  /// chance wins four of five rounds in 19 % of cases, and eight of ten in 5 %;
  /// it does so by 3 % only on a noisy machine. A choice made this way is
  /// therefore measured a second time.
  bool isFaster(double by) const;
  /// Describes the rounds: "faster in 10 of 11 rounds"
  std::string text() const;
};

/// Compares the turns of two alternatives.
TurnComparison compareTurns(const Times &before, const Times &after);

/// The minimum of rounds; with fewer, no alternative counts as faster.
constexpr size_t fewestRounds = 5;
/// The share of its time by which a kernel must be faster.
constexpr double leastGain = 0.03;

/// The index of the fastest alternative that is faster than `rule`; nullopt if
/// there is none.
std::optional<size_t> chooseFastest(const Times &rule,
                                    const std::vector<Times> &others);

} // namespace transfold::driver
