// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shift laws: what an operation's result lacks if an operand lacks a row
// vector.
//
// A program need not add a bias where the equations do. Where they have x it
// may store x − s, with a row s that is the same at every position, and add s
// later: where a bias is added anyway, or not at all if it has no effect. A law
// states what the result then lacks: (x − s) W lacks s W; rows of a softmax,
// which sum to 1, pass a row of values on unchanged; a norm that subtracts the
// mean is invariant under a constant added to all columns.
//
// Rows are computed from weights alone, hence at compile time.

#pragma once

#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace transfold::xf {

/// The equations' value minus the program's.
struct Shift {
  /// The axes of the value along which the shift varies, ascending.
  llvm::SmallVector<unsigned> axes;
  /// Its values over these axes; null if not computable from weights alone.
  mlir::Value row;
  /// The result lacks nothing: the operation is invariant under the shift.
  bool isZero = false;

  /// The shift of a result that lacks nothing.
  static Shift zero() { return {{}, {}, true}; }
  /// Whether the shift varies along `axis`.
  bool variesAlong(unsigned axis) const {
    return llvm::is_contained(axes, axis);
  }
};

/// The services that shift laws use.
class ShiftLaw {
public:
  virtual ~ShiftLaw() = default;

  /// Whether `value` lacks a row too: laws of products allow one shifted
  /// factor.
  virtual bool isShifted(mlir::Value value) const = 0;
  /// Builder for operations on weights.
  virtual mlir::OpBuilder &builder() = 0;
};

} // namespace transfold::xf
