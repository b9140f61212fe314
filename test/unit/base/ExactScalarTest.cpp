// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/exact/ExactScalar.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold;

static ExactScalar scalar(const char *text) {
  auto result = ExactScalar::parse(text);
  EXPECT_TRUE(result) << text;
  return result.value_or(ExactScalar(int64_t(0)));
}

TEST(ExactScalar, PrintsAsPeopleWrite) {
  for (const char *text :
       {"0", "1", "-1", "8", "1/8", "11/50", "-11/50", "sqrt(384)",
        "1/sqrt(32)", "3*sqrt(2)", "sqrt(3/2)", "2*sqrt(3)/5", "1/(3*sqrt(2))",
        "3^(1/3)", "sqrt(32)", "5/(3*sqrt(2))"})
    EXPECT_EQ(scalar(text).str(), text);
}

TEST(ExactScalar, Log2OfEStandsForItself) {
  for (const char *text : {"log2(e)", "1/log2(e)", "log2(e)/sqrt(32)",
                           "-2*log2(e)", "log2(e)^(1/2)", "sqrt(2)/log2(e)^2"})
    EXPECT_EQ(scalar(text).str(), text);
  ExactScalar x = scalar("log2(e)/8");
  EXPECT_FALSE(x.isRational());
  EXPECT_FALSE(x.asInteger());
  EXPECT_FALSE(x.isPowerOfTwo());
  EXPECT_EQ(x / scalar("log2(e)"), scalar("1/8"));
  EXPECT_TRUE((x / x).isOne());
  EXPECT_NE(x, scalar("1/8"));
  EXPECT_NE(x.hash(), scalar("1/8").hash());
  EXPECT_EQ(x.toDouble(), 1.4426950408889634 / 8);
  EXPECT_TRUE(scalar("1.4426950408889634") < scalar("log2(e)"));
  EXPECT_TRUE(scalar("log2(e)") < scalar("1.4426950408889635"));
  EXPECT_EQ((x * ExactScalar(int64_t(0))), ExactScalar(int64_t(0)));
}

TEST(ExactScalar, PowersOfTwoRoundNothing) {
  for (const char *text : {"1", "-1", "1/8", "-4", "2^100"})
    EXPECT_TRUE(scalar(text).isPowerOfTwo()) << text;
  for (const char *text : {"0", "3", "sqrt(2)", "3/2", "log2(e)"})
    EXPECT_FALSE(scalar(text).isPowerOfTwo()) << text;
}

TEST(ExactScalar, ExponentsAreRationals) {
  Exponent half{1, 2}, third{1, 3};
  EXPECT_EQ(half + third, (Exponent{5, 6}));
  EXPECT_EQ(half * third, (Exponent{1, 6}));
  EXPECT_EQ(half / -third, (Exponent{-3, 2}));
  EXPECT_EQ((half + -half).str(), "0");
  EXPECT_EQ((-half).str(), "-1/2");
  EXPECT_THROW((Exponent{INT64_MAX, 1} + Exponent{1, 1}), std::overflow_error);
}

TEST(ExactScalar, ParseOfPrintedIsTheSame) {
  const ExactScalar bases[] = {
      ExactScalar(int64_t(30522)),     scalar("0.1"),  scalar("1e-12"),
      scalar("0.0883883476483184405"), scalar("7/12"), scalar("2^100"),
      scalar("3602879701896397/2^55")};
  const Exponent exponents[] = {{1, 1},  {-1, 1}, {1, 2},
                                {-3, 2}, {2, 3},  {5, 1}};
  for (const ExactScalar &base : bases)
    for (Exponent exponent : exponents) {
      ExactScalar x = *base.power(exponent);
      auto back = ExactScalar::parse(x.str());
      ASSERT_TRUE(back) << x.str();
      EXPECT_EQ(*back, x) << x.str();
      EXPECT_EQ(back->hash(), x.hash()) << x.str();
    }
}

TEST(ExactScalar, RefusesWhatIsNoNumber) {
  for (const char *text :
       {"", "x", "1/0", "sqrt(-2)", "2^", "1 2", "(3", "1..2", "2^(1/0)"})
    EXPECT_FALSE(ExactScalar::parse(text)) << text;
  EXPECT_FALSE(ExactScalar::parseDecimal("0x10"));
  EXPECT_FALSE(ExactScalar::parseDecimal("1e"));
  EXPECT_FALSE(ExactScalar::parseDecimal("1e999999999999"));
}

TEST(ExactScalar, DecimalsAreRationals) {
  EXPECT_EQ(ExactScalar::parseDecimal("0.22")->str(), "11/50");
  EXPECT_EQ(ExactScalar::parseDecimal("1e-12")->str(), "1/1000000000000");
  EXPECT_EQ(ExactScalar::parseDecimal("10000.0")->asInteger(), 10000);
  EXPECT_EQ(ExactScalar::parseDecimal("-2.5E+1")->asInteger(), -25);
}

TEST(ExactScalar, EqualWhateverTheFactors) {
  ExactScalar product = ExactScalar(int64_t(3)) * ExactScalar(int64_t(5)) *
                        ExactScalar(int64_t(5));
  ExactScalar whole(int64_t(75));
  EXPECT_EQ(product, whole);
  EXPECT_EQ(product.hash(), whole.hash());
  EXPECT_EQ(scalar("sqrt(45)"), scalar("3*sqrt(5)"));
  EXPECT_EQ(scalar("sqrt(45)").hash(), scalar("3*sqrt(5)").hash());
  EXPECT_NE(scalar("sqrt(45)"), scalar("3*sqrt(7)"));
  EXPECT_EQ(scalar("sqrt(15)") * scalar("sqrt(21)") / scalar("sqrt(35)"),
            ExactScalar(int64_t(3)));
  EXPECT_EQ(scalar("sqrt(384)/8").power({2, 1})->asInteger(), 6);
}

TEST(ExactScalar, Arithmetic) {
  EXPECT_EQ(scalar("sqrt(2)").plus(scalar("sqrt(8)"))->str(), "3*sqrt(2)");
  EXPECT_FALSE(scalar("sqrt(2)").plus(scalar("sqrt(3)")));
  EXPECT_TRUE(scalar("sqrt(2)").plus(-scalar("sqrt(2)"))->isZero());
  EXPECT_EQ(scalar("1/3").plus(scalar("1/6"))->str(), "1/2");
  EXPECT_FALSE(scalar("-4").power({1, 2}));
  EXPECT_EQ(scalar("-8").power({1, 3})->str(), "-2");
  EXPECT_FALSE(ExactScalar(int64_t(0)).power({-1, 1}));
  EXPECT_TRUE(ExactScalar(int64_t(0)).power({0, 1})->isOne());
}

TEST(ExactScalar, Order) {
  EXPECT_LT(scalar("sqrt(2)"), scalar("3/2"));
  EXPECT_LT(scalar("7/5"), scalar("sqrt(2)"));
  EXPECT_LT(scalar("-3/2"), scalar("-sqrt(2)"));
  EXPECT_LT(scalar("-1"), scalar("0"));
  EXPECT_FALSE(scalar("3") < scalar("3"));
}

TEST(ExactScalar, DoublesAreNearest) {
  for (int64_t n : {2, 3, 32, 384, 768, 4096, 30522, 999983})
    EXPECT_EQ(ExactScalar(n).power({1, 2})->toDouble(), std::sqrt(double(n)));
  for (double x : {0.1, 0.22, 1e-12, 1e-5, 2.5, 1e300, 5e-324, 0.1 + 0.2}) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    EXPECT_EQ(ExactScalar::parseDecimal(text)->toDouble(), x);
  }
  EXPECT_EQ(scalar("1/3").toDouble(), 1.0 / 3);
  EXPECT_EQ(scalar("-8/7").toDouble(), -8.0 / 7);
  EXPECT_NEAR(scalar("3^(1/3)").toDouble(), std::cbrt(3.0), 1e-15);
}

// Expressions that are short in a spec must not take minutes.
TEST(ExactScalar, LongNumbersAreNotAdded) {
  ExactScalar large = *ExactScalar(int64_t(3)).power({65536, 1});
  EXPECT_FALSE(large.plus(ExactScalar(int64_t(1))));
  EXPECT_FALSE(large.asRational());
  EXPECT_TRUE(large.plus(large)); // 2 * 3^65536
  EXPECT_LT(*ExactScalar(int64_t(3)).power({65535, 1}), large);
  EXPECT_NEAR(ExactScalar(int64_t(3)).power({1, 65521})->toDouble(),
              std::pow(3, 1.0 / 65521), 1e-15);
  ExactScalar roots = *ExactScalar(int64_t(2)).power({1, 4294967291});
  EXPECT_THROW((roots * *ExactScalar(int64_t(3)).power({1, 4294967279}) *
                *ExactScalar(int64_t(5)).power({1, 4294967231}))
                   .toDouble(),
               std::overflow_error);
}
