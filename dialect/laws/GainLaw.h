// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gain laws: what an operation's result lacks if an operand lacks a gain.
//
// Where the equations have x[n, c] g[c], a program may store x and apply g to a
// later operand: (x diag(g)) W = x (diag(g) W), where diag(g) W is another
// matrix, computed at compile time.

#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace transfold::xf {

/// For each position along some axes of a value, the index of the vector
/// element it is multiplied with. A vector as long as an axis is {{axis}, {0,
/// 1, 2, …}}; query heads that share keys and values have the same indices.
struct Channels {
  llvm::SmallVector<unsigned> axes;
  /// Indices into the vector by position, the last of `axes` fastest.
  llvm::SmallVector<int64_t> numbers;

  /// All positions of the whole axes of a value with such extents, in order.
  static Channels whole(llvm::ArrayRef<unsigned> axes,
                        llvm::ArrayRef<int64_t> extents);
  /// Whether it is one axis whose positions use the vector's elements in order.
  bool isPlain() const;
};

/// The equations' value is the program's value times a vector.
struct Gain {
  Channels channels;
  /// Computed from weights alone; null if a weight has absorbed it.
  mlir::Value vector;
};

/// The services that gain laws use.
class GainLaw {
public:
  virtual ~GainLaw() = default;

  /// Whether `value` lacks a gain too.
  virtual bool lacksGain(mlir::Value value) const = 0;
  /// Multiplies the weight `operand` by `gain`, whose axes are those of the
  /// weight; fails if that costs more than it saves.
  virtual mlir::LogicalResult absorb(mlir::OpOperand &operand,
                                     const Gain &gain) = 0;
};

} // namespace transfold::xf
