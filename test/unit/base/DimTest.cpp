// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes: quotients in normal form, their text, and their values, compared with
// the same operations on integers.

#include "base/exact/Dim.h"

#include <gtest/gtest.h>

#include <random>

using namespace transfold;

static const Dim n = Dim::atom("n"), m = Dim::atom("m");

/// The number of windows of `size` rows, `stride` rows apart.
static Dim windows(const Dim &rows, int64_t size, int64_t stride) {
  return (rows - Dim(size)).floorQuotient(stride) + Dim(1);
}

TEST(Dim, QuotientsHaveOneForm) {
  EXPECT_EQ(windows(n, 10, 5).str(), "n div 5 - 1");
  EXPECT_EQ(windows(windows(n, 10, 5), 3, 2).str(), "n div 10 - 1");
  EXPECT_EQ((n * Dim(2) + Dim(1)).floorQuotient(4).str(), "n div 2");
  EXPECT_EQ((n * Dim(3) + m).floorQuotient(2).str(), "(m + n) div 2 + n");
  EXPECT_EQ((Dim(7) - n).floorQuotient(2).str(), "(n + 1) div 2 - n + 3");
  EXPECT_EQ(Dim(-7).floorQuotient(2), Dim(-4));
  EXPECT_EQ((n * Dim(6) + Dim(5)).floorQuotient(3), n * Dim(2) + Dim(1));
}

TEST(Dim, ConvolutionsOfConvolutionsAreOne) {
  Dim rows = n;
  for (auto [size, stride] :
       {std::pair(10, 5), {3, 2}, {3, 2}, {3, 2}, {3, 2}, {2, 2}, {2, 2}})
    rows = windows(rows, size, stride);
  EXPECT_EQ(rows.str(), "(n + 240) div 320 - 1");
  EXPECT_EQ(rows.leastFor(1), (std::pair<std::string, int64_t>("n", 400)));
  EXPECT_EQ(rows.leastFor(2), (std::pair<std::string, int64_t>("n", 720)));
}

TEST(Dim, BoundsNeedOneNameThatGrows) {
  EXPECT_FALSE((n + m).leastFor(2));
  EXPECT_FALSE((Dim(9) - n).leastFor(2));
  EXPECT_FALSE(Dim(9).leastFor(2));
  EXPECT_EQ(n.leastFor(0)->second, 1);
  EXPECT_EQ((n * n).leastFor(10)->second, 4);
}

TEST(Dim, TextIsReadAsPrinted) {
  for (const char *text :
       {"n", "7", "n + 1", "2 * n - 3", "n div 2", "(m + n) div 2", "n.seen",
        "m * n^2", "3 * (n div 2) + 1", "(n + 240) div 320 - 1"}) {
    auto size = Dim::parse(text);
    ASSERT_TRUE(size) << text;
    EXPECT_EQ(size->str(), text);
  }
  for (const char *text : {"", "(", "()", "n div 0", "n div m", "n / 2", "n +",
                           "n + ", "2n m", "rows of conv(x, W)",
                           "n div 2 div 3", "99999999999999999999", "n^99999"})
    EXPECT_FALSE(Dim::parse(text)) << text;
  EXPECT_FALSE(Dim::parse(std::string(100000, '(')));
}

TEST(Dim, NamesOfDerivedLengthsAreExpressions) {
  EXPECT_FALSE(isDerivedLength("n"));
  EXPECT_FALSE(isDerivedLength("n.seen"));
  EXPECT_TRUE(isDerivedLength("n div 2"));
  EXPECT_TRUE(isDerivedLength("n^2"));
}

TEST(Dim, ValuesAreThoseOfIntegers) {
  std::mt19937 random(1);
  auto below = [&](int most) { return static_cast<int64_t>(random() % most); };
  for (int round = 0; round < 5000; ++round) {
    const int64_t valueOfN = below(1000), valueOfM = below(1000);
    Dim size = n;
    int64_t value = valueOfN;
    for (int step = 0; step < 5; ++step) {
      const int64_t number = below(9) + 1;
      switch (below(4)) {
      case 0:
        size = size + Dim(number - 5);
        value += number - 5;
        break;
      case 1:
        size = size * Dim(number % 4 + 1);
        value *= number % 4 + 1;
        break;
      case 2:
        size = size.floorQuotient(number);
        value = value / number - (value % number < 0);
        break;
      default:
        size = size + m.floorQuotient(number);
        value += valueOfM / number;
      }
    }
    auto found = size.at([&](const std::string &name) {
      return std::optional(name == "n" ? valueOfN : valueOfM);
    });
    ASSERT_EQ(found, value) << size.str();
    EXPECT_EQ(Dim::parse(size.str()), size) << size.str();
  }
}

TEST(Dim, ValuesThatDoNotFitAreNone) {
  auto most = [](const std::string &) { return std::optional(INT64_MAX); };
  EXPECT_FALSE((n + n).at(most));
  EXPECT_FALSE((n * n).at(most));
  EXPECT_FALSE((n * Dim(2)).floorQuotient(3).at(most));
  auto none = [](const std::string &) { return std::optional<int64_t>(); };
  EXPECT_FALSE(n.at(none));
}
