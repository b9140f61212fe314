// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residues obey the laws that folding uses, and no others.

#include "compiler/reference/field/FieldNumbers.h"
#include "compiler/reference/EvaluatePositions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace transfold;
using namespace transfold::reference;

namespace {

class FieldNumbersTest : public ::testing::TestWithParam<uint64_t> {
protected:
  FieldNumbersTest() : numbers(fieldNumbers(GetParam(), /*seed=*/3)) {}

  /// Some number.
  double draw() {
    double values[1];
    numbers->elements(this, next++, 1, values);
    return values[0];
  }
  /// Some positive number.
  double positive() { return numbers->absolute(draw()); }

  double product(double a, double b) { return numbers->multiply(a, b); }
  double exact(const char *text) {
    return numbers->exact(*ExactScalar::parse(text));
  }
  void expectEqual(double a, double b) {
    EXPECT_EQ(residueOf(a), residueOf(b));
  }

  std::unique_ptr<const Numbers> numbers;
  int64_t next = 0;
};

TEST_P(FieldNumbersTest, ThePrimesAreSafe) {
  const PrimeField field(GetParam());
  const uint64_t p = field.prime(), r = (p - 1) / 2;
  EXPECT_EQ(p % 4, 3U);
  EXPECT_EQ(p >> 60, 1U);
  // Fermat: for a prime, a^(p - 1) is 1. The same for r, by squaring with the
  // arithmetic of 128 bits.
  auto isProbablyPrime = [](uint64_t n) {
    for (uint64_t a : {2, 3, 5, 7, 11}) {
      unsigned __int128 result = 1, base = a;
      for (uint64_t e = n - 1; e; e >>= 1) {
        if (e & 1)
          result = result * base % n;
        base = base * base % n;
      }
      if (result != 1)
        return false;
    }
    return true;
  };
  EXPECT_TRUE(isProbablyPrime(p));
  EXPECT_TRUE(isProbablyPrime(r));
  for (int q : {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97})
    EXPECT_TRUE(field.isPositive(field.of(q))) << q;
  EXPECT_FALSE(field.isPositive(field.of(-1)));
}

TEST_P(FieldNumbersTest, ArithmeticIsThatOfIntegers) {
  auto of = [&](int64_t x) { return numbers->integer(x); };
  expectEqual(numbers->add(of(3), of(-5)), of(-2));
  expectEqual(product(of(-7), of(6)), of(-42));
  expectEqual(numbers->divide(of(42), of(-6)), of(-7));
  expectEqual(product(exact("1/3"), of(3)), of(1));
  expectEqual(numbers->real(0.75), exact("3/4"));
  expectEqual(numbers->real(-0x1p-1074),
              numbers->negate(numbers->power(of(2), ExactScalar(-1074))));
  EXPECT_TRUE(numbers->isLess(of(0), of(1)));
  EXPECT_FALSE(numbers->isLess(of(0), of(-1)));
}

TEST_P(FieldNumbersTest, RootsOfConstantsAreConsistent) {
  expectEqual(product(exact("sqrt(72)"), exact("sqrt(2)")),
              numbers->integer(12));
  expectEqual(product(exact("2^(-5/2)"), exact("sqrt(32)")),
              numbers->integer(1));
  expectEqual(numbers->root(numbers->integer(25)), numbers->integer(5));
  // The factor 1 + 3^-35, which doubles do not see.
  EXPECT_NE(residueOf(numbers->add(
                numbers->integer(1),
                numbers->power(numbers->integer(3), ExactScalar(-35)))),
            residueOf(numbers->integer(1)));
}

TEST_P(FieldNumbersTest, RootsTakeFactorsOut) {
  for (int k = 0; k < 50; ++k) {
    const double x = draw(), c = positive();
    expectEqual(numbers->root(product(product(c, c), x)),
                product(c, numbers->root(x)));
    const ExactScalar third = ExactScalar::rational(ExactScalar::Integer(-1),
                                                    ExactScalar::Integer(3));
    expectEqual(
        numbers->power(product(numbers->power(c, ExactScalar(3)), x), third),
        numbers->divide(numbers->power(x, third), c));
  }
}

TEST_P(FieldNumbersTest, FunctionsHaveTheLawsThatFoldingUses) {
  const double one = numbers->integer(1), zero = numbers->integer(0);
  for (int k = 0; k < 50; ++k) {
    const double x = draw(), c = positive(), y = draw();
    expectEqual(numbers->maximum(product(c, x), zero),
                product(c, numbers->maximum(x, zero)));
    expectEqual(numbers->absolute(numbers->negate(x)), numbers->absolute(x));
    const double inverse = numbers->divide(one, c);
    expectEqual(numbers->gelu(product(c, x), inverse),
                product(c, numbers->gelu(x, one)));
    for (Function function :
         {Function::Sigmoid, Function::Tanh, Function::Log2, Function::Log1p})
      expectEqual(numbers->apply(function, product(c, x), inverse, y),
                  product(y, numbers->apply(function, x, one, one)));
    expectEqual(numbers->apply(Function::Tanh, numbers->negate(x), one, one),
                numbers->negate(numbers->apply(Function::Tanh, x, one, one)));
    expectEqual(
        numbers->exponential(x, std::nullopt),
        numbers->exponential(x, numbers->exact(ExactScalar::log2OfE())));
  }
}

TEST_P(FieldNumbersTest, OtherFunctionsAreNotConfused) {
  const double one = numbers->integer(1), x = draw(), y = draw();
  auto expectDifferent = [](double a, double b) {
    EXPECT_NE(residueOf(a), residueOf(b));
  };
  auto exp = [&](double a) { return numbers->exponential(a, std::nullopt); };
  expectDifferent(exp(numbers->add(x, y)), product(exp(x), exp(y)));
  expectDifferent(exp(x), exp(numbers->add(x, one)));
  expectDifferent(numbers->apply(Function::Tanh, x, one, one),
                  numbers->apply(Function::Log1p, x, one, one));
  expectDifferent(numbers->gelu(product(y, x), one),
                  product(y, numbers->gelu(x, one)));
  EXPECT_THROW((void)numbers->round(xf::Format::BF16, x), InterpreterError);
}

TEST_P(FieldNumbersTest, TheLargestStayTheLargest) {
  Tensor row({9}), moved({9});
  const double c = positive(), shift = draw();
  for (size_t k = 0; k < row.data.size(); ++k) {
    row.data[k] = draw();
    moved.data[k] = numbers->add(product(c, row.data[k]), shift);
  }
  const Tensor marks = top(*numbers, row, 4),
               marksOfMoved = top(*numbers, moved, 4);
  int64_t marked = 0;
  for (size_t k = 0; k < row.data.size(); ++k) {
    expectEqual(marks.data[k], marksOfMoved.data[k]);
    marked += !numbers->isZero(marks.data[k]);
  }
  EXPECT_EQ(marked, 4);
}

INSTANTIATE_TEST_SUITE_P(AllPrimes, FieldNumbersTest,
                         ::testing::ValuesIn(safePrimes().begin(),
                                             safePrimes().end()));

} // namespace
