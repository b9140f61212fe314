// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the interpreter. Operations are defined once, over any
// numbers: doubles, doubles whose results are rounded to float32, or residues
// modulo a prime, over which equal equations have equal results, without a
// tolerance (field/FieldNumbers.h).
//
// A number is a word of 64 bits in a Tensor. Residues are stored in the bits of
// a double, so that operations that only copy elements are the same for all.
// Values of integer types are doubles in all cases.

#pragma once

#include "base/exact/IndexExpr.h"
#include "compiler/reference/Tensor.h"
#include "dialect/Dialect.h"

#include <optional>
#include <span>

namespace transfold::reference {

/// Functions of one number; the value is factor · f(argument · x).
enum class Function { Sigmoid, Tanh, Log2, Log1p };

/// The arguments of a definition by index that are arrays.
struct TableReader {
  /// Element `indices` of array `array`.
  ArrayReader read;
  /// Whether the elements of array `array` are real numbers.
  std::function<bool(int array)> isReal;
};

/// Numbers and what is computed with them. All functions are total: what is
/// undefined over the real numbers, as 1 / 0, is NaN or an arbitrary number.
class Numbers {
public:
  virtual ~Numbers() = default;

  virtual double integer(int64_t value) const = 0;
  virtual double exact(const ExactScalar &value) const = 0;
  /// The number that a double is.
  virtual double real(double value) const = 0;
  /// Replaces doubles by the numbers that they are.
  virtual void convert(std::span<double> values) const = 0;
  /// Replaces the elements `first`, `first` + `step`, … of a tensor of the
  /// checkpoint, which begins at `tensor`, by the numbers that stand for them.
  virtual void elements(const void *tensor, int64_t first, int64_t step,
                        std::span<double> values) const = 0;

  virtual double add(double a, double b) const = 0;
  virtual double subtract(double a, double b) const = 0;
  virtual double multiply(double a, double b) const = 0;
  virtual double divide(double a, double b) const = 0;
  virtual double maximum(double a, double b) const = 0;
  virtual double absolute(double x) const = 0;
  virtual double root(double x) const = 0;
  virtual double power(double x, const ExactScalar &exponent) const = 0;
  /// e^x or, with an exponent, 2^(x · exponent).
  virtual double exponential(double x,
                             const std::optional<double> &exponent) const = 0;
  virtual double apply(Function function, double x, double argument,
                       double factor) const = 0;
  /// x · Φ(argument · x); Φ is the distribution function of the normal
  /// distribution.
  virtual double gelu(double x, double argument) const = 0;

  virtual bool isZero(double x) const = 0;
  virtual bool isNaN(double x) const = 0;
  /// Whether a < b.
  virtual bool isLess(double a, double b) const = 0;
  /// What a softmax subtracts from its scores, which does not change its
  /// result: of doubles the largest, so that no power is infinite.
  virtual double shiftOf(double before, double score) const = 0;

  /// A partial sum and a term; the sum is rounded where results are.
  virtual double sum(double partial, double term) const = 0;
  virtual void scale(std::span<double> values, double factor) const = 0;
  /// row[n] += Σ_k factors[k] · terms[k, n], with sums as above in the order of
  /// k.
  virtual void addProducts(std::span<double> row,
                           std::span<const double> factors,
                           const double *terms) const = 0;
  /// Doubles by which the elements of a row are ordered: an element is larger
  /// if its double is.
  virtual std::vector<double> orderOf(std::span<const double> row) const = 0;
  /// An element of a table: an integer as a double if the table `isReal` not.
  virtual double tabulate(const IndexExpr &expr,
                          std::span<const int64_t> indices,
                          const TableReader &reader, bool isReal) const = 0;

  /// Throws InterpreterError where numbers cannot be rounded.
  virtual double round(xf::Format format, double x) const = 0;
  /// Rounds a group of elements to multiples of one scale.
  virtual void quantize(std::span<double> group) const = 0;
  /// Rounds the results of an operation as they are stored.
  virtual void store(std::span<double> values) const = 0;

  double negate(double x) const { return subtract(integer(0), x); }
};

/// Doubles.
const Numbers &doubles();
/// Doubles, of which results, weights and partial sums are rounded to float32.
const Numbers &floats();

} // namespace transfold::reference
