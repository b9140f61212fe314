// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation makes of a row of numbers that its operand lacks.
//
// A program need not add a bias where the equations do. Where they have x it
// may store x − s, with a row s that is the same at every position, and add
// what is missing later: where a bias is added in any case, or nowhere, if
// nobody sees it. A law says what the result then lacks: (x − s) W lacks s W;
// rows of a softmax, which sum to 1, leave a row of values as it is; a norm
// that subtracts the mean does not see one number in all columns.
//
// A row is made of weights alone, so it is computed when the program is made.

#ifndef TRANSFOLD_DIALECT_LAWS_SHIFTLAW_H
#define TRANSFOLD_DIALECT_LAWS_SHIFTLAW_H

#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace transfold::xf {

/// The equations' value without the program's.
struct Shift {
  /// Axes of the value along which it differs, ascending.
  llvm::SmallVector<unsigned> axes;
  /// Over these axes; null where it is not made of weights alone.
  mlir::Value row;
  /// Nothing is lacking: the operation does not see the row.
  bool isZero = false;

  static Shift zero() { return {{}, {}, true}; }
  bool variesAlong(unsigned axis) const {
    return llvm::is_contained(axes, axis);
  }
};

/// What laws ask for.
class ShiftLaw {
public:
  virtual ~ShiftLaw() = default;

  /// Whether `value` lacks something too: laws of products speak of one factor.
  virtual bool isShifted(mlir::Value value) const = 0;
  /// Where operations on weights go.
  virtual mlir::OpBuilder &builder() = 0;
};

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_LAWS_SHIFTLAW_H
