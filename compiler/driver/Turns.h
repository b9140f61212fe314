// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When something counts as faster than something else, measured in turn on a
// machine that others use, too. Free of MLIR.

#ifndef TRANSFOLD_COMPILER_DRIVER_TURNS_H
#define TRANSFOLD_COMPILER_DRIVER_TURNS_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace transfold::driver {

/// Times of turns, one in each round.
using Times = std::vector<double>;

/// One beside another in the same rounds. A round compares what ran within
/// moments; a machine that slows down slows both.
struct TurnComparison {
  double before = 0, after = 0; ///< medians
  double ratio = 1;             ///< the median of after / before of a round
  size_t won = 0, rounds = 0;   ///< in how many `after` was faster

  /// Whether `after` is faster by that share at least, and not by chance: it
  /// won four rounds of five, of five or more. By chance alone, where both are
  /// the same, four of five are won in 19 % of cases, eight of ten in 5 %, and
  /// that by 3 % only where the machine is that restless: hence what is chosen
  /// so is measured a second time.
  bool isFaster(double by) const;
  /// "faster in 10 of 11 rounds"
  std::string text() const;
};

TurnComparison compareTurns(const Times &before, const Times &after);

/// With fewer rounds nothing is faster.
constexpr size_t fewestRounds = 5;
/// The share of its time by which a kernel must be faster.
constexpr double leastGain = 0.03;

/// Which of several is faster than `rule`, and the fastest; none where none is.
std::optional<size_t> chooseFastest(const Times &rule,
                                    const std::vector<Times> &others);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_TURNS_H
