// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axes of a recurrence along which it can be computed independently.
//
//   S[i, t] = α[i, t] * S[i, t - 1] + k[i, t]' @ v[i, t]
//   o[i, t] = q[i, t] @ S[i, t]
//
// S[i, t] has entries (a, b), with a along k and b along v. The sum of the
// second line is over a. No entry depends on an entry with another i or b, so
// every pair (i, b) is a recurrence of its own, whose state is a column over a.
// We call b the lane, because vectors extend along it, a the slot, and i a
// family.

#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::xf {

/// The axes of the values of a recurrence, in classes: two axes are in one
/// class if entries along one are computed from entries with the same index
/// along the other.
class LaneAxes {
public:
  /// The axes of `scan`; nullopt if it has no lanes: some state depends on all
  /// entries of the one before, or the region has an operation that is neither
  /// pointwise nor a contraction.
  static std::optional<LaneAxes> of(ScanOp scan);

  /// The class of an axis of a value of the region: an argument, a result of an
  /// operation, or a value from outside. Rows have no axis of positions there.
  unsigned classOf(mlir::Value value, unsigned axis) const {
    return classes.find({value, axis})->second;
  }
  /// Whether `value` has an axis of this class.
  bool has(mlir::Value value, unsigned axisClass) const;

  /// The class of vectors, and its number of entries.
  unsigned lane = 0;
  int64_t lanes = 0;
  /// The class over which the region sums; nullopt if it sums over none.
  std::optional<unsigned> slot;
  int64_t slots = 1;
  /// The other classes, in the order of the first result, and their sizes.
  llvm::SmallVector<unsigned> families;
  llvm::SmallVector<int64_t> sizes;

private:
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> classes;
};

} // namespace transfold::xf
