// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives bounds of lengths from the arrays that a definition by index reads:
// P[t, c] with a table of 512 rows needs n <= 512, P[n - 3, c] needs n >= 3.
//
// Only indices that are sums of positions, lengths and numbers, or bounded by
// clamp or a remainder, are analyzed; others, and branches of an `if`, are not.

#pragma once

#include "dialect/Dialect.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::importer {

/// The largest and smallest values of lengths for which the equations are
/// valid.
struct LengthBounds {
  std::map<std::string, int64_t> most, least;
  /// Descriptions of indices that restrict an axis to a single position, "i - j
  /// of n": probably a mistake.
  std::vector<std::string> leavingOne;

  /// Add a bound, and keep the stricter one of two for the same length.
  void atMost(const std::string &length, int64_t number);
  void atLeast(const std::string &length, int64_t number);
};

/// Adds the bounds that `definition` needs over axes `shape`, where it reads
/// `arrays`. Throws std::domain_error if it reads out of bounds for all
/// lengths.
void boundReads(const IndexDefinition &definition,
                llvm::ArrayRef<mlir::Attribute> shape, mlir::ValueRange arrays,
                LengthBounds &bounds);

} // namespace transfold::importer
