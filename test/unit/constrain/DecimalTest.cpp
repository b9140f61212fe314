// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/automaton/Decimal.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold;
using namespace transfold::runtime;

namespace {

using Bound = DecimalRange::Bound;

TEST(Decimal, AreCompared) {
  auto of = [](double value) { return Decimal::of(value); };
  const double values[] = {-1e300, -12.5, -12, -1, -0.5, -1e-7, 0,
                           1e-7,   0.05,  0.5, 1,  9.99, 10,    1e300};
  for (double a : values)
    for (double b : values)
      EXPECT_EQ(of(a) <=> of(b), a < b   ? std::strong_ordering::less
                                 : a > b ? std::strong_ordering::greater
                                         : std::strong_ordering::equal)
          << a << " " << b;
  EXPECT_EQ(of(-0.0), of(0));
  EXPECT_EQ(Decimal::of(INT64_MIN), of(-0x1p63));
  EXPECT_EQ(Decimal::of(UINT64_MAX).integer, "18446744073709551615");
}

/// Each text is accepted if and only if its number is in the range.
TEST(Decimal, AutomataAcceptTheNumbersOfTheirRange) {
  const double bounds[] = {-120, -12.5, -10, -1, -0.05, 0,  0.05,
                           0.3,  1,     7,   10, 12.5,  99, 120};
  for (double low : bounds)
    for (double high : bounds)
      for (int kind = 0; kind < 6; ++kind) {
        DecimalRange range;
        if (kind < 4 || kind == 4)
          range.low = Bound{Decimal::of(low), kind % 2 == 1};
        if (kind < 4 || kind == 5)
          range.high = Bound{Decimal::of(high), kind / 2 == 1};
        ConstraintBudget budget;
        const Dfa integers = integersIn(range, budget),
                  fractions = fractionsIn(range, budget);
        for (int i = -1300; i <= 1300; ++i) {
          const bool isIn = range.has(Decimal::of(i / 10.0));
          const std::string text = fmt::format("{:.1f}", i / 10.0);
          if (i % 10 == 0)
            EXPECT_EQ(integers.matches(std::to_string(i / 10)), isIn)
                << i << " " << low << " " << high << " " << kind;
          if (i != 0)
            EXPECT_EQ(fractions.matches(text), isIn)
                << text << " " << low << " " << high << " " << kind;
          EXPECT_EQ(fractions.matches(text + "00"), fractions.matches(text));
        }
      }
}

TEST(Decimal, OnlyNumbersAreAccepted) {
  ConstraintBudget budget;
  const Dfa integers = integersIn({}, budget),
            fractions = fractionsIn({}, budget);
  for (const char *text :
       {"", "-", "00", "01", "-0", "+1", "1.", ".5", "1e5", "--1", "-01"}) {
    EXPECT_FALSE(integers.matches(text)) << text;
    EXPECT_FALSE(fractions.matches(text)) << text;
  }
  EXPECT_TRUE(integers.matches("123456789012345678"));
  EXPECT_FALSE(integers.matches("1234567890123456789"));
  EXPECT_TRUE(fractions.matches("-0.5"));
  EXPECT_FALSE(fractions.matches("0.12345678901234567"));
}

TEST(Decimal, MultiplesAreDivisible) {
  for (uint32_t divisor : {1, 2, 3, 7, 10, 64, 999}) {
    ConstraintBudget budget;
    const Dfa dfa = multiplesOf(divisor, budget);
    for (int i = 0; i < 3000; ++i)
      EXPECT_EQ(dfa.matches(std::to_string(i)),
                i % static_cast<int>(divisor) == 0)
          << i << " " << divisor;
    EXPECT_TRUE(dfa.matches("-" + std::to_string(divisor)));
    EXPECT_FALSE(dfa.matches("-0"));
    EXPECT_FALSE(dfa.matches("00"));
  }
}

} // namespace
