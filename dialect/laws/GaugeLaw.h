// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gauge laws: how constant factors may pass through an operation.
//
// A folded program stores gauge · x where the equations have x; every value has
// its own gauge. A law states for which gauges the operation computes gauge ·
// (the equations' result): for a product, gauge(a b) = gauge(a) gauge(b); for a
// sum, all gauges agree; a norm is independent of the gauge of its input if ε
// is scaled accordingly. In logarithms each law is a linear equation, and a
// sign is an equation modulo 2.
//
// Besides gauges, laws refer to everything that can absorb a factor: scalars
// that a kernel multiplies with anyway (the scale of a softmax), and a
// multiplication at run time, which can absorb any factor and which folding
// avoids.

#pragma once

#include "base/exact/ExactScalar.h"

#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/ValueRange.h>

namespace transfold::xf {

class ConstantOp;
class ExactAttr;
class TabulateOp;
class WeightOp;

/// Σ exponent · log(unknown), unknowns ascending, exponents nonzero.
class GaugeSum {
public:
  using Term = std::pair<unsigned, Exponent>;

  GaugeSum() = default;
  /// The logarithm of one unknown.
  explicit GaugeSum(unsigned unknown) : terms{{unknown, {1, 1}}} {}

  GaugeSum operator+(const GaugeSum &other) const;
  GaugeSum operator-(const GaugeSum &other) const;
  GaugeSum operator*(Exponent factor) const;
  bool operator==(const GaugeSum &) const = default;

  // The unknown is the number that the solver gave to it.
  llvm::SmallVector<Term, 4> terms;
};

/// Collects the laws of one operation as equations.
class GaugeLaw {
public:
  virtual ~GaugeLaw() = default;

  /// The system that an equation belongs to: of magnitudes, of signs, or both.
  enum class Part { Both, Magnitude, Sign };

  /// Adds the equation left = right.
  void equal(const GaugeSum &left, const GaugeSum &right,
             Part part = Part::Both) {
    zero(left - right, part);
  }
  /// Requires the gauge to be positive.
  void positive(const GaugeSum &sum) { zero(sum, Part::Sign); }
  /// Requires the gauge to be 1: the value is that of the equations.
  void pin(mlir::Value value) { zero((*this)[value], Part::Both); }

  /// The gauge of a value.
  virtual GaugeSum operator[](mlir::Value value) = 0;
  /// A constant of the equations, located at the operation.
  virtual GaugeSum constant(ExactAttr value, llvm::StringRef written) = 0;
  /// The irrational constant log2(e).
  virtual GaugeSum log2OfE() = 0;

  /// The factor by which an optional scalar operand of the kernel changes, an
  /// operand of rank 0 that means 1 if absent. `isPresent`: the kernel
  /// multiplies by it in any case.
  virtual GaugeSum scalar(mlir::MutableOperandRange operand,
                          llvm::StringRef name, bool isPresent = false) = 0;
  /// The same for a scalar that an attribute holds; the operand is used only if
  /// the scalar differs by layer.
  virtual GaugeSum attributeScalar(mlir::MutableOperandRange operand,
                                   llvm::StringRef attribute,
                                   llvm::StringRef name) = 0;
  /// The factor by which a constant changes.
  virtual GaugeSum literal(ConstantOp op) = 0;
  /// The factor by which a table defined by index changes; the same in all
  /// layers.
  virtual GaugeSum definition(TabulateOp op) = 0;
  /// The factor by which a stored weight changes.
  virtual GaugeSum stored(WeightOp op) = 0;
  /// A multiplication at run time, of a result or of an operand.
  virtual GaugeSum multiplication(mlir::OpResult result) = 0;
  /// The unknown is the factor by which a folded program would multiply there;
  /// folding looks for solutions in which it is 1.
  virtual GaugeSum multiplication(mlir::OpOperand &operand) = 0;

protected:
  /// Adds one equation: `sum` is log 1.
  virtual void zero(const GaugeSum &sum, Part part) = 0;
};

} // namespace transfold::xf
