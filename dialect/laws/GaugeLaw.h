// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation lets happen to a constant factor.
//
// A folded program stores gauge · x where the equations have x; every value has
// a gauge of its own. A law says which gauges make the operation compute
// gauge · (what the equations say): of a product, gauge(a b) = gauge(a)
// gauge(b); of a sum, all gauges agree; a norm does not see the gauge of its
// input, if ε follows. In logarithms each law is a linear equation, and a sign
// is an equation modulo 2.
//
// Besides gauges, laws speak of what can absorb a factor: numbers that a kernel
// multiplies with anyway (the scale of a softmax), and a multiplication at run
// time, which absorbs everything and which folding avoids.

#ifndef TRANSFOLD_DIALECT_LAWS_GAUGELAW_H
#define TRANSFOLD_DIALECT_LAWS_GAUGELAW_H

#include "dialect/exact/ExactScalar.h"

#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/ValueRange.h>

namespace transfold::xf {

class ConstantOp;
class ExactAttr;
class TabulateOp;
class WeightOp;

/// Σ exponent · log(unknown), unknowns ascending, no exponent 0.
class GaugeSum {
public:
  using Term = std::pair<unsigned, Exponent>;

  GaugeSum() = default;
  explicit GaugeSum(unsigned unknown) : terms{{unknown, {1, 1}}} {}

  GaugeSum operator+(const GaugeSum &other) const;
  GaugeSum operator-(const GaugeSum &other) const;
  GaugeSum operator*(Exponent factor) const;
  bool operator==(const GaugeSum &) const = default;

  llvm::SmallVector<Term, 4> terms;
};

/// Takes down the laws of one operation.
class GaugeLaw {
public:
  virtual ~GaugeLaw() = default;

  /// Which of the two systems an equation belongs to.
  enum class Part { Both, Magnitude, Sign };

  void equal(const GaugeSum &left, const GaugeSum &right,
             Part part = Part::Both) {
    zero(left - right, part);
  }
  /// The gauge is above zero.
  void positive(const GaugeSum &sum) { zero(sum, Part::Sign); }
  /// The value keeps what the equations say.
  void pin(mlir::Value value) { zero((*this)[value], Part::Both); }

  /// The gauge of a value.
  virtual GaugeSum operator[](mlir::Value value) = 0;
  /// A constant of the equations, at the operation's place.
  virtual GaugeSum constant(ExactAttr value, llvm::StringRef written) = 0;
  virtual GaugeSum log2OfE() = 0;

  /// What changes in a number that the kernel has: an optional operand of rank
  /// 0, which is 1 where it is absent. `isPresent`: the kernel multiplies with
  /// it in any case.
  virtual GaugeSum scalar(mlir::MutableOperandRange operand,
                          llvm::StringRef name, bool isPresent = false) = 0;
  /// The same for a number that an attribute holds, and the operand only where
  /// it differs by layer.
  virtual GaugeSum attributeScalar(mlir::MutableOperandRange operand,
                                   llvm::StringRef attribute,
                                   llvm::StringRef name) = 0;
  virtual GaugeSum literal(ConstantOp op) = 0;
  /// What changes in a table that is defined by index: in all layers the same.
  virtual GaugeSum definition(TabulateOp op) = 0;
  virtual GaugeSum stored(WeightOp op) = 0;
  /// A multiplication at run time: of a result, of an operand.
  virtual GaugeSum multiplication(mlir::OpResult result) = 0;
  virtual GaugeSum multiplication(mlir::OpOperand &operand) = 0;

protected:
  /// One equation: `sum` is log 1.
  virtual void zero(const GaugeSum &sum, Part part) = 0;
};

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_LAWS_GAUGELAW_H
