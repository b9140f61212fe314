// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index: text and back, values, linear forms.

#include "base/exact/IndexExpr.h"

#include <gtest/gtest.h>

using namespace transfold;

static IndexDefinition parsed(const char *text) {
  auto definition = IndexDefinition::parse(text);
  EXPECT_TRUE(definition) << text;
  return *definition;
}

static double valueOf(const char *text, std::vector<int64_t> indices) {
  return evaluate(*parsed(text).body, indices);
}

TEST(IndexExpr, ReadsWhatItPrints) {
  for (const char *text : {"[i, j] = j <= i and i - j < 4096",
                           "[i] = (i + 1) * 2 - (3 - i)",
                           "[i] = -i^2",
                           "[i] = (-i)^2",
                           "[i] = 2^(-i)",
                           "[i] = -3",
                           "[i] = (i if i < 2 else 4) + 1",
                           "[i] = i if i < 2 else 4 if i < 3 else 5",
                           "[i] = i div 2 mod 3 / 7",
                           "[i] = i - (i - 1)",
                           "[i] = (i == 2) == true",
                           "[i] = not (i < 2 or i == 5) and i != 7",
                           "[θ, c_1] = √(θ) * c_1",
                           "[i, a] = %0[clamp(i, 0, 7), a] + %1[]",
                           "[i] = 1e-20 * 0.1",
                           "[if_not] = if_not mod 3",
                           "[i] = i * √(8)",
                           "[i] = i * -√(0.75)",
                           "[i] = i * (1 / 3)",
                           "[i] = i * (2 / 3)^0.25",
                           "[i] = i * (√(0.1) * log2(exp(1)))",
                           "[i] = i * √(2 / log2(exp(1)))",
                           "[i] = 0 if i < 3 else -inf",
                           "[i] = nan + i",
                           "[inf] = inf * 2",
                           "[sin, nan] = sin(sin) + nan"})
    EXPECT_EQ(parsed(text).str(), text);
}

TEST(IndexExpr, ConstantsStayExact) {
  for (const char *number :
       {"1/3", "sqrt(8)", "-sqrt(3/4)", "11/50", "2^(1/3)", "log2(e)/sqrt(32)",
        "-39039/(sqrt(36507222016)*log2(e))", "log2(e)^(1/2)*sqrt(5)/75",
        "123456789012345678901234567890/7", "1/1152921504606846976"}) {
    const ExactScalar exact = *ExactScalar::parse(number);
    const IndexDefinition scaled{
        {"i"},
        IndexExpr::operation(ScalarOp::Multiply, {IndexExpr::variable(0),
                                                  IndexExpr::constant(exact)})};
    const IndexDefinition again = parsed(scaled.str().c_str());
    EXPECT_EQ(again.str(), scaled.str());
    ASSERT_EQ(again.body->operands.size(), 2U) << scaled.str();
    const IndexExpr &constant = *again.body->operands[1];
    ASSERT_TRUE(constant.exact) << scaled.str();
    EXPECT_TRUE(*constant.exact == exact) << scaled.str();
    EXPECT_EQ(constant.value, exact.toDouble());
  }
}

TEST(IndexExpr, RefusesWhatIsNone) {
  for (const char *text :
       {"", "i", "[i] = ", "[i] = j", "[i] = i i", "[i = i", "[i] = (i",
        "[i] = sin(i, i)", "[i] = nosuch(i)", "[i] = %x[i]", "[i] = i if i",
        "[i,] = i", "[i] = i +", "[i] = %0[i", "[i] = 1..2"})
    EXPECT_FALSE(IndexDefinition::parse(text)) << text;
}

TEST(IndexExpr, BindsAsTheLanguageDoes) {
  EXPECT_EQ(valueOf("[i] = -i^2", {3}), -9);
  EXPECT_EQ(valueOf("[i] = 2^3^i", {2}), 512);
  EXPECT_EQ(valueOf("[i] = 7 - i - 1", {3}), 3);
  EXPECT_EQ(valueOf("[i] = -i div 2", {3}), -2);
  EXPECT_EQ(valueOf("[i] = 2 * i mod 4", {3}), 2);
  EXPECT_EQ(valueOf("[inf] = inf * 2", {3}), 6); // an index, not a constant
  EXPECT_EQ(valueOf("[i, j] = 1 if i < 2 and j < 2 or i == j else 0", {5, 5}),
            1);
}

// An infinite index is out of the bounds of any array.
TEST(IndexExpr, ReadsNothingAtInfinity) {
  auto read = [](int, std::span<const int64_t> indices) {
    return indices[0] == std::numeric_limits<int64_t>::max() ? -1.0 : 1.0;
  };
  for (const char *text : {"[i] = %0[1 / i]", "[i] = %0[log(-1 - i)]",
                           "[i] = %0[2^(100 + i)]", "[i] = %0[-1 / i]"})
    EXPECT_EQ(evaluate(*parsed(text).body, std::vector<int64_t>{0}, read), -1)
        << text;
}

TEST(IndexExpr, LinearForms) {
  auto form = linearForm(*parsed("[i, j] = 3 - (2 * i - j) * 2 + -j").body, 2);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->coefficients, (std::vector<int64_t>{-4, 1}));
  EXPECT_EQ(form->constant, 3);
  for (const char *text :
       {"[i, j] = i * j", "[i, j] = i / 2", "[i, j] = 0.5 * i",
        "[i, j] = abs(i)", "[i, j] = i div 2",
        "[i, j] = 4503599627370496 * 4503599627370496 * i"})
    EXPECT_FALSE(linearForm(*parsed(text).body, 2)) << text;
}

TEST(IndexExpr, DependsOnDistanceOnly) {
  for (const char *text :
       {"[a, i, j] = j - i", "[a, i, j] = abs(i + 1 - j) * a",
        "[a, i, j] = 1 if j <= i else 2", "[a, i, j] = a",
        "[a, i, j] = %0[min(-(j - i), 7), a]"})
    EXPECT_TRUE(dependsOnDistanceOnly(*parsed(text).body, 1, 2, 3)) << text;
  for (const char *text :
       {"[a, i, j] = j", "[a, i, j] = j + i", "[a, i, j] = abs(j) - abs(i)",
        "[a, i, j] = 1 if j <= 2 * i else 2", "[a, i, j] = %0[j, i]"})
    EXPECT_FALSE(dependsOnDistanceOnly(*parsed(text).body, 1, 2, 3)) << text;
}
