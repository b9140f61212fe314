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

/// The equations' value is the program's, times a vector along one axis.
struct Gain {
  unsigned axis = 0;
  /// Made of weights alone; null where a weight took it over.
  mlir::Value vector;
};

/// What laws ask for.
class GainLaw {
public:
  virtual ~GainLaw() = default;

  /// Whether `value` lacks a gain too.
  virtual bool lacksGain(mlir::Value value) const = 0;
  /// Multiplies the weight `operand` with `vector` along `axis`; fails where
  /// that costs more than it saves.
  virtual mlir::LogicalResult absorb(mlir::OpOperand &operand, unsigned axis,
                                     mlir::Value vector) = 0;
};

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_LAWS_GAINLAW_H
