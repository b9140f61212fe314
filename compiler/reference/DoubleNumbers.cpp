// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of doubles, and of doubles that are rounded to float32 where
// results are stored, and after each addition of a sum.

#include "base/numeric/Rounding.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Numbers.h"

#include <algorithm>
#include <cmath>

using namespace transfold;
using namespace transfold::reference;

namespace {

class Doubles : public Numbers {
public:
  double integer(int64_t value) const override {
    return static_cast<double>(value);
  }
  double exact(const ExactScalar &value) const override {
    return value.toDouble();
  }
  double real(double value) const override { return value; }
  void convert(std::span<double>) const override {}
  void elements(const void *, int64_t, int64_t,
                std::span<double>) const override {}

  double add(double a, double b) const override { return a + b; }
  double subtract(double a, double b) const override { return a - b; }
  double multiply(double a, double b) const override { return a * b; }
  double divide(double a, double b) const override { return a / b; }
  double maximum(double a, double b) const override {
    return a > b || std::isnan(a) ? a : b;
  }
  double absolute(double x) const override { return std::abs(x); }
  double root(double x) const override { return std::sqrt(x); }
  double power(double x, const ExactScalar &exponent) const override {
    return std::pow(x, exponent.toDouble());
  }
  double exponential(double x,
                     const std::optional<double> &exponent) const override {
    return exponent ? std::exp2(x * *exponent) : std::exp(x);
  }
  double apply(Function function, double x, double argument,
               double factor) const override {
    switch (function) {
    case Function::Sigmoid:
      return factor / (1 + std::exp(-argument * x));
    case Function::Tanh:
      return factor * std::tanh(argument * x);
    case Function::Log2:
      return factor * std::log2(argument * x);
    case Function::Log1p:
      return factor * std::log1p(argument * x);
    }
    llvm_unreachable("all functions are handled");
  }
  double gelu(double x, double argument) const override {
    return 0.5 * x * std::erfc(-x * (argument * 0.70710678118654752440));
  }

  bool isZero(double x) const override { return x == 0; }
  bool isNaN(double x) const override { return std::isnan(x); }
  bool isLess(double a, double b) const override { return a < b; }
  double shiftOf(double before, double score) const override {
    return std::max(before, score);
  }

  double sum(double partial, double term) const override {
    return partial + term;
  }
  void addProducts(std::span<double> row, std::span<const double> factors,
                   const double *terms) const override {
    for (double factor : factors)
      for (double &sum : row)
        sum += factor * *terms++;
  }
  void scale(std::span<double> values, double factor) const override {
    for (double &value : values)
      value *= factor;
  }
  std::vector<double> orderOf(std::span<const double> row) const override {
    return {row.begin(), row.end()};
  }
  double tabulate(const IndexExpr &expr, std::span<const int64_t> indices,
                  const TableReader &reader, bool) const override {
    return evaluate(expr, indices, reader.read);
  }

  double round(xf::Format format, double x) const override {
    switch (format) {
    case xf::Format::F32:
      return roundedToFloat32(x);
    case xf::Format::F16:
      return roundedToFloat16(x);
    case xf::Format::BF16:
      return roundedToBfloat16(x);
    default:
      llvm_unreachable("xf.round refuses other formats");
    }
  }
  void quantize(std::span<double> group) const override {
    double largest = 0;
    for (double x : group) // NaN is sticky
      largest = std::isnan(x) || std::abs(x) > largest ? std::abs(x) : largest;
    const double scale = largest / 127;
    for (double &x : group)
      x = scale == 0 ? 0 : scale * std::nearbyint(x / scale);
  }
  void store(std::span<double>) const override {}
};

/// A value of a table, with each step of its arithmetic rounded to float32: far
/// from the beginning, angles lose digits. Operands of comparisons and indices
/// of reads are integers and exact.
double inFloat32(const IndexExpr &expr, std::span<const int64_t> indices,
                 const ArrayReader &read) {
  if (expr.kind != IndexExpr::Kind::Operation)
    return static_cast<float>(evaluate(expr, indices, read));
  auto exact = [&](const IndexExpr &operand) {
    return evaluate(operand, indices, read);
  };
  auto rounded = [&](const IndexExpr &operand) {
    return inFloat32(operand, indices, read);
  };
  return static_cast<float>(evaluateOperation(expr, exact, rounded));
}

class Float32s : public Doubles {
public:
  double sum(double partial, double term) const override {
    return static_cast<float>(partial + term);
  }
  // Terms are added in order, one at a time: the longest chain of roundings.
  // Kernels add several partial sums.
  void addProducts(std::span<double> row, std::span<const double> factors,
                   const double *terms) const override {
    for (double factor : factors)
      for (double &sum : row)
        sum = static_cast<float>(sum + factor * *terms++);
  }
  double tabulate(const IndexExpr &expr, std::span<const int64_t> indices,
                  const TableReader &reader, bool) const override {
    return inFloat32(expr, indices, reader.read);
  }
  void store(std::span<double> values) const override {
    for (double &value : values)
      value = static_cast<float>(value);
  }
};

} // namespace

const Numbers &reference::doubles() {
  static const Doubles numbers;
  return numbers;
}

const Numbers &reference::floats() {
  static const Float32s numbers;
  return numbers;
}
