// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/field/FieldNumbers.h"

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/field/FieldTables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace transfold;
using namespace transfold::reference;

uint64_t reference::residueOf(double number) {
  return std::bit_cast<uint64_t>(number);
}

namespace {

double numberOf(uint64_t residue) { return std::bit_cast<double>(residue); }

/// Three rounds of a mixer in which each bit of the result depends on each bit
/// of the argument (Steele, Lea and Flood 2014; constants by Stafford).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The random functions other than those of tables, which are numbered by their
/// ScalarOp.
enum RandomKind : uint64_t { Weight = 1000, Exp2, Normal, OfFunction };

class FieldNumbers final : public Numbers, private TableFunctions {
public:
  FieldNumbers(uint64_t prime, uint64_t seed) : field(prime), seed(seed) {
    const uint64_t any = field.ofBits(mixed(seed));
    log2e = field.multiply(any, any); // a square is positive
  }

  double integer(int64_t value) const override {
    return numberOf(field.of(value));
  }
  double exact(const ExactScalar &value) const override {
    for (const ExactScalar::Factor &factor : value.factors)
      requirePositive(factor);
    return constant(value);
  }
  double constant(const ExactScalar &value) const override;
  double real(double value) const override;
  void convert(std::span<double> values) const override {
    for (double &value : values)
      value = real(value);
  }
  void elements(const void *tensor, int64_t first, int64_t step,
                std::span<double> values) const override {
    const uint64_t state =
        mixed(mixed(seed ^ Weight) ^ reinterpret_cast<uintptr_t>(tensor));
    for (double &value : values) {
      value =
          numberOf(field.ofBits(mixed(state ^ static_cast<uint64_t>(first))));
      first += step;
    }
  }

  double add(double a, double b) const override {
    if (isInfinite(a) || isInfinite(b))
      return isInfinite(a) ? a : b;
    return numberOf(field.add(residueOf(a), residueOf(b)));
  }
  double subtract(double a, double b) const override {
    if (isInfinite(a) || isInfinite(b))
      return isInfinite(a) ? a : -b;
    return numberOf(field.subtract(residueOf(a), residueOf(b)));
  }
  double multiply(double a, double b) const override {
    if (isInfinite(a) || isInfinite(b))
      return isPositive(a) == isPositive(b) ? infinity : -infinity;
    return numberOf(field.multiply(residueOf(a), residueOf(b)));
  }
  double divide(double a, double b) const override {
    if (isInfinite(b))
      return integer(0);
    if (isInfinite(a))
      return multiply(a, b);
    if (isZero(b)) // some number, which is not that of another operation
      return random(ScalarOp::Divide, a, b);
    return numberOf(field.multiply(residueOf(a), field.inverse(residueOf(b))));
  }
  double maximum(double a, double b) const override {
    return isLess(a, b) ? b : a;
  }
  double absolute(double x) const override {
    return isPositive(x) ? x : negate(x);
  }
  double root(double x) const override { return rational(x, 1, 2); }
  double power(double x, const ExactScalar &exponent) const override;
  double exponential(double x,
                     const std::optional<double> &exponent) const override {
    if (isInfinite(x))
      return x < 0 ? integer(0) : x;
    const double y = multiply(x, exponent ? *exponent : numberOf(log2e));
    return isZero(y) ? integer(1) : numberOf(drawn(Exp2, residueOf(y), 0));
  }
  double apply(Function function, double x, double argument,
               double factor) const override;
  double gelu(double x, double argument) const override {
    return multiply(x, share(Normal, multiply(argument, x)));
  }

  bool isZero(double x) const override { return residueOf(x) == 0; }
  bool isNaN(double) const override { return false; }
  bool isLess(double a, double b) const override {
    return isPositive(subtract(b, a));
  }
  double shiftOf(double before, double score) const override {
    return isInfinite(before) ? score : before;
  }

  double sum(double partial, double term) const override {
    return add(partial, term);
  }
  void scale(std::span<double> values, double factor) const override {
    for (double &value : values)
      value = multiply(value, factor);
  }
  void addProducts(std::span<double> row, std::span<const double> factors,
                   const double *terms) const override;
  std::vector<double> orderOf(std::span<const double> row) const override;
  double tabulate(const IndexExpr &expr, std::span<const int64_t> indices,
                  const TableReader &reader, bool isReal) const override {
    return tableElement(*this, *this, expr, indices, reader, isReal);
  }

  double round(xf::Format, double) const override { failToRound(); }
  void quantize(std::span<double>) const override { failToRound(); }
  void store(std::span<double>) const override {}

private:
  [[noreturn]] static void failToRound() {
    throw InterpreterError(
        "the equations round a value, which exact numbers cannot");
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static bool isInfinite(double x) { return std::isinf(x); }
  bool isPositive(double x) const {
    return isInfinite(x) ? x > 0 : field.isPositive(residueOf(x));
  }

  uint64_t baseOf(const ExactScalar::Factor &factor) const;
  void requirePositive(const ExactScalar::Factor &factor) const;

  /// A random residue for three numbers.
  uint64_t drawn(uint64_t kind, uint64_t a, uint64_t b) const {
    return field.ofBits(mixed(mixed(mixed(seed ^ kind) ^ a) ^ b));
  }
  std::optional<int64_t> integerOf(double x) const override {
    const auto value = static_cast<int64_t>(field.valueOf(residueOf(x)));
    const auto negative = static_cast<int64_t>(field.prime()) - value;
    constexpr int64_t limit = int64_t{1} << 29;
    if (value < limit)
      return value;
    return negative < limit ? std::optional(-negative) : std::nullopt;
  }
  double random(ScalarOp op, double x, double y) const override {
    return numberOf(
        drawn(static_cast<uint64_t>(op), residueOf(x), residueOf(y)));
  }
  /// A random function with f(-x) = 1 - f(x), like distribution functions.
  double share(uint64_t kind, double x) const {
    if (isZero(x))
      return divide(integer(1), integer(2));
    if (isPositive(x))
      return numberOf(drawn(kind, residueOf(x), 0));
    return subtract(integer(1), share(kind, negate(x)));
  }

  /// x^(numerator / denominator), which is (-x)^… times a constant where x is
  /// not positive, so that a positive factor of x has its own power there, too.
  double rational(double x, int64_t numerator, int64_t denominator) const {
    if (isZero(x))
      return x;
    if (isPositive(x))
      return numberOf(
          field.rationalPower(residueOf(x), numerator, denominator));
    const uint64_t other = drawn(OfFunction, static_cast<uint64_t>(numerator),
                                 static_cast<uint64_t>(denominator));
    return multiply(numberOf(other),
                    rational(negate(x), numerator, denominator));
  }

  PrimeField field;
  uint64_t seed;
  uint64_t log2e;
};

/// A product of residues is below 2^122: up to 8 of them are added before they
/// are reduced, in blocks of columns whose sums stay in the nearest cache.
void FieldNumbers::addProducts(std::span<double> row,
                               std::span<const double> factors,
                               const double *terms) const {
  constexpr size_t block = 64, unreduced = 8;
  const size_t columns = row.size();
  for (size_t first = 0; first < columns; first += block) {
    const size_t width = std::min(block, columns - first);
    for (size_t k = 0; k < factors.size(); k += unreduced) {
      std::array<unsigned __int128, block> sums{};
      for (size_t j = k; j < std::min(k + unreduced, factors.size()); ++j) {
        const unsigned __int128 factor = residueOf(factors[j]);
        const double *from = terms + j * columns + first;
        for (size_t n = 0; n < width; ++n)
          sums[n] += factor * residueOf(from[n]);
      }
      for (size_t n = 0; n < width; ++n)
        row[first + n] = numberOf(
            field.add(residueOf(row[first + n]), field.reduce(sums[n])));
    }
  }
}

uint64_t FieldNumbers::baseOf(const ExactScalar::Factor &factor) const {
  const auto prime = static_cast<int64_t>(field.prime());
  return field.of(
      static_cast<int64_t>(factor.base % ExactScalar::Integer(prime)));
}

void FieldNumbers::requirePositive(const ExactScalar::Factor &factor) const {
  if (!field.isPositive(baseOf(factor)))
    throw NotPositive(fmt::format(
        "{} has no roots modulo {}",
        ExactScalar::rational(factor.base, ExactScalar::Integer(1)).str(),
        field.prime()));
}

double FieldNumbers::constant(const ExactScalar &value) const {
  if (value.isZero())
    return integer(0);
  uint64_t result = field.one();
  auto times = [&](uint64_t base, const Exponent &exponent) {
    if (exponent.isInteger())
      result = field.multiply(result, field.power(base, exponent.numerator));
    else
      result =
          field.multiply(result, field.rationalPower(base, exponent.numerator,
                                                     exponent.denominator));
  };
  for (const ExactScalar::Factor &factor : value.factors) {
    if (!factor.exponent.isInteger())
      requirePositive(factor);
    times(baseOf(factor), factor.exponent);
  }
  if (!value.log2e.isZero())
    times(log2e, value.log2e);
  return numberOf(value.isNegative() ? field.subtract(0, result) : result);
}

/// A double is an integer times a power of two.
double FieldNumbers::real(double value) const {
  if (std::isnan(value))
    throw InterpreterError("a value is not a number");
  if (isInfinite(value))
    return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto integer = static_cast<int64_t>(std::ldexp(mantissa, 53));
  return numberOf(field.multiply(field.of(integer),
                                 field.power(field.of(2), exponent - 53)));
}

double FieldNumbers::power(double x, const ExactScalar &exponent) const {
  if (auto whole = exponent.asInteger())
    return numberOf(field.power(residueOf(x), *whole));
  if (auto fraction = exponent.asRational())
    return rational(x, static_cast<int64_t>(fraction->first),
                    static_cast<int64_t>(fraction->second));
  return random(ScalarOp::Power, x, exact(exponent));
}

double FieldNumbers::apply(Function function, double x, double argument,
                           double factor) const {
  const double y = multiply(argument, x);
  const uint64_t kind = OfFunction + 1 + static_cast<uint64_t>(function);
  if (function == Function::Sigmoid)
    return multiply(factor, share(kind, y));
  if (function != Function::Tanh)
    return multiply(factor, numberOf(drawn(kind, residueOf(y), 0)));
  // tanh(-y) = -tanh(y)
  if (isZero(y))
    return y;
  const double size = numberOf(drawn(kind, residueOf(absolute(y)), 0));
  return multiply(factor, isPositive(y) ? size : negate(size));
}

/// Differences have no order: an element ranks by the number of elements that
/// it exceeds, which scales and shifts of the row keep.
std::vector<double> FieldNumbers::orderOf(std::span<const double> row) const {
  std::vector<double> exceeded(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    for (size_t j = 0; j < row.size(); ++j)
      exceeded[i] += isLess(row[j], row[i]);
  return exceeded;
}

} // namespace

std::unique_ptr<const Numbers> reference::fieldNumbers(uint64_t prime,
                                                       uint64_t seed) {
  return std::make_unique<FieldNumbers>(prime, seed);
}
