// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two arrays that should be equal.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace transfold::driver {

/// The differences between two arrays.
struct Comparison {
  double largest;              ///< maximum difference / maximum magnitude
  double nmse;                 ///< Σ (a − b)² / Σ a²
  std::optional<double> ratio; ///< b / a, if uniform and not 1
};

/// Compares `found` with `expected`.
Comparison compare(const std::vector<double> &expected,
                   const std::vector<double> &found);

/// Subtracts the mean row, of `width` values, from all rows, which removes a
/// row that is common to all. Rows of zeros are padding.
std::vector<double> withoutMeanRow(const std::vector<double> &values,
                                   size_t width);

/// Whether each value is exactly representable in float32: then they were
/// computed in float32, whatever the type of the file.
bool areFloat32(const std::vector<double> &values);

/// log Σ exp x
double logSum(std::span<const double> row);

/// The mean KL divergence Σ p log(p / q) of the distributions given by rows of
/// logits.
double divergence(const std::vector<double> &expected,
                  const std::vector<double> &found, int64_t columns);

/// Formats a ratio together with the constant that it equals, or whose inverse
/// it equals: "8.485 = √d".
std::string
nameRatio(double ratio,
          const std::vector<std::pair<std::string, double>> &constants);

} // namespace transfold::driver
