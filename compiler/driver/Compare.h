// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two arrays of numbers that should be the same.

#ifndef TRANSFOLD_COMPILER_DRIVER_COMPARE_H
#define TRANSFOLD_COMPILER_DRIVER_COMPARE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace transfold::driver {

struct Comparison {
  double largest;              ///< difference beside the largest number
  double nmse;                 ///< Σ (a − b)² / Σ a²
  std::optional<double> ratio; ///< b / a, where that is one number and not 1
};

Comparison compare(const std::vector<double> &expected,
                   const std::vector<double> &found);

/// Whether each number is one of float32: in whatever file, they were computed
/// in that.
bool areFloat32(const std::vector<double> &values);

/// log Σ exp x
double logSum(std::span<const double> row);

/// Σ p log(p / q) of the distributions that rows of logits stand for, on
/// average over the rows.
double divergence(const std::vector<double> &expected,
                  const std::vector<double> &found, int64_t columns);

/// "8.485 = √d": the ratio, with the constant that it is, or its inverse.
std::string
nameRatio(double ratio,
          const std::vector<std::pair<std::string, double>> &constants);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_COMPARE_H
