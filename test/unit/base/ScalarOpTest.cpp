// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/spec/values/ScalarOp.h"
#include "compiler/spec/values/IndexFunction.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfold;
using namespace transfold::spec;

static StaticValue number(const char *text) {
  return StaticValue(*ExactScalar::parse(text));
}

static std::string result(ScalarOp op, std::vector<StaticValue> operands) {
  Symbols symbols;
  return apply(op, operands, symbols).str();
}

TEST(ScalarOp, ExactWhileItCanBe) {
  EXPECT_EQ(result(ScalarOp::Divide, {number("1"), number("sqrt(32)")}),
            "1/sqrt(32)");
  EXPECT_EQ(result(ScalarOp::IntegerDivide, {number("-7"), number("2")}), "-4");
  EXPECT_EQ(result(ScalarOp::Modulo, {number("-7"), number("2")}), "1");
  EXPECT_EQ(result(ScalarOp::Power, {number("2"), number("-8/3")}),
            "1/2^(8/3)");
  EXPECT_EQ(result(ScalarOp::Floor, {number("7/2")}), "3");
  EXPECT_EQ(result(ScalarOp::Log2, {number("8")}), "3");
  EXPECT_EQ(result(ScalarOp::Less, {number("sqrt(2)"), number("3/2")}), "true");
  EXPECT_EQ(result(ScalarOp::RoundF32, {number("11/50")}), "7381975/33554432");
  EXPECT_EQ(result(ScalarOp::RoundBF16, {number("sqrt(2304)")}), "48");
}

TEST(ScalarOp, Rounding) {
  const double x[] = {0.1};
  EXPECT_EQ(evaluate(ScalarOp::RoundF32, x), double(0.1f));
  const double big[] = {65520};
  EXPECT_TRUE(std::isinf(evaluate(ScalarOp::RoundF16, big)));
  const double tie[] = {1 + 0x1p-8};
  EXPECT_EQ(evaluate(ScalarOp::RoundBF16, tie), 1);
}

TEST(ScalarOp, NoneIsNoNumber) {
  EXPECT_THROW(result(ScalarOp::Add, {StaticValue(), number("1")}),
               std::domain_error);
  EXPECT_THROW(result(ScalarOp::Divide, {number("1"), number("0")}),
               std::domain_error);
}

TEST(IndexFunction, TakesOneBranchOnly) {
  // 1 / i if i > 0 else table[i]
  auto i = IndexExpr::variable(0);
  auto zero = IndexExpr::constant(ExactScalar(int64_t(0)));
  auto one = IndexExpr::constant(ExactScalar(int64_t(1)));
  auto body = IndexExpr::operation(
      ScalarOp::Select, {IndexExpr::operation(ScalarOp::Greater, {i, zero}),
                         IndexExpr::operation(ScalarOp::Divide, {one, i}),
                         IndexExpr::read(7, {i})});
  IndexFunction function("f", {"i"}, body);
  const int64_t four[] = {4}, none[] = {0};
  EXPECT_EQ(function.at(four), 0.25);
  EXPECT_EQ(
      function.at(none, [](int array,
                           std::span<const int64_t>) { return double(array); }),
      7);
  EXPECT_EQ(function.str(), "[i] = 1 / i if i > 0 else %7[i]");
}

TEST(IndexFunction, WhatIsDecidedFolds) {
  auto i = IndexExpr::variable(0);
  auto positive =
      IndexExpr::operation(ScalarOp::Greater, {i, IndexExpr::constant(0.0)});
  EXPECT_EQ(
      IndexExpr::operation(ScalarOp::And, {IndexExpr::truth(true), positive}),
      positive);
  EXPECT_TRUE(
      IndexExpr::operation(ScalarOp::Or, {IndexExpr::truth(true), positive})
          ->isConstant());
}
