// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation makes of a gain that its operand lacks.
//
// Where the equations have x[n, c] g[c], a program may store x, and multiply
// what comes later with g: (x diag(g)) W = x (diag(g) W), which is another
// matrix, computed when the program is made.

#ifndef TRANSFOLD_DIALECT_LAWS_GAINLAW_H
#define TRANSFOLD_DIALECT_LAWS_GAINLAW_H

#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace transfold::xf {

/// Which number of a vector each position along some axes of a value is
/// multiplied with. A vector as long as an axis is {{axis}, {0, 1, 2, …}};
/// heads that share their keys and values have the same numbers.
struct Channels {
  llvm::SmallVector<unsigned> axes;
  /// By position, the last of `axes` fastest.
  llvm::SmallVector<int64_t> numbers;

  /// The whole axes of a value with such extents, a number for each position.
  static Channels whole(llvm::ArrayRef<unsigned> axes,
                        llvm::ArrayRef<int64_t> extents);
  /// Whether it is one axis with a number for each position, in their order.
  bool isPlain() const;
};

/// The equations' value is the program's, times a vector.
struct Gain {
  Channels channels;
  /// Made of weights alone; null where a weight took it over.
  mlir::Value vector;
};

/// What laws ask for.
class GainLaw {
public:
  virtual ~GainLaw() = default;

  /// Whether `value` lacks a gain too.
  virtual bool lacksGain(mlir::Value value) const = 0;
  /// Multiplies the weight `operand` with `gain`, whose axes are the weight's;
  /// fails where that costs more than it saves.
  virtual mlir::LogicalResult absorb(mlir::OpOperand &operand,
                                     const Gain &gain) = 0;
};

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_LAWS_GAINLAW_H
