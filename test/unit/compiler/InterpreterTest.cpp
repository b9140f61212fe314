// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of each operation, compared with values computed by hand.

#include "test/unit/compiler/Xf.h"

#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

class InterpreterTest : public test::XfTest {
protected:
  /// One operation on arguments %a, %b, … of the given types.
  Tensor eval(const std::string &op, const std::string &result,
              std::vector<std::pair<std::string, Tensor>> arguments = {}) {
    std::string text = "xf.entry @f(";
    std::vector<Tensor> values;
    for (auto &[type, value] : arguments) {
      text += std::string(values.empty() ? "" : ", ") + "%" +
              char('a' + values.size()) + ": !xf." + type;
      values.push_back(value);
    }
    text += ") -> !xf." + result + " {\n%r = xf." + op +
            "\nxf.return %r : !xf." + result + "\n}";
    auto module = parse(text);
    return module ? run(*module, values).front() : Tensor();
  }

  Tensor row(std::vector<double> data) {
    auto size = static_cast<int64_t>(data.size());
    return tensor({size}, std::move(data));
  }

  void expect(const Tensor &found, std::vector<int64_t> shape,
              std::vector<double> data) {
    expectNear(found, tensor(std::move(shape), std::move(data)), 1e-15);
  }

  // 2 rows of 3.
  Tensor x = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
};

TEST_F(InterpreterTest, ContractIsTheProductOfMatrices) {
  expect(eval("contract %a[n, k], %b[k, c] -> [n, c] : <n, 3>, <3, 2>",
              "real<n, 2>",
              {{"real<n, 3>", x},
               {"real<3, 2>", tensor({3, 2}, {1, 0, 0, 1, 1, 1})}}),
         {2, 2}, {4, 5, 10, 11});
}

TEST_F(InterpreterTest, ContractReadsAndWritesTransposed) {
  expect(
      eval("contract %a[k, n], %b[c, k] -> [c, n] : <2, 3>, <2, 2>",
           "real<2, 3>",
           {{"real<2, 3>", x}, {"real<2, 2>", tensor({2, 2}, {1, 0, 2, 1})}}),
      {2, 3}, {1, 2, 3, 6, 9, 12});
}

TEST_F(InterpreterTest, ContractOverAFamily) {
  // S[i, n, m] = Σ_c q[i, n, c] k[m, i, c]: the family is an axis of both.
  expect(eval("contract %a[i, n, c], %b[m, i, c] -> [n, i, m] : <2, 1, 2>, "
              "<2, 2, 2>",
              "real<1, 2, 2>",
              {{"real<2, 1, 2>", tensor({2, 1, 2}, {1, 2, 3, 4})},
               {"real<2, 2, 2>", tensor({2, 2, 2}, {1, 0, 0, 1, 1, 1, 2, 2})}}),
         {1, 2, 2}, {1, 3, 4, 14});
}

TEST_F(InterpreterTest, ContractOverTwoLabelsAndNone) {
  expect(eval("contract %a[n, k], %a[n, k] -> [] : <2, 3>, <2, 3>", "real<>",
              {{"real<2, 3>", x}}),
         {}, {91});
  expect(eval("contract %a[n], %b[m] -> [m, n] : <2>, <2>", "real<2, 2>",
              {{"real<2>", row({1, 2})}, {"real<2>", row({3, 5})}}),
         {2, 2}, {3, 6, 5, 10});
}

TEST_F(InterpreterTest, PointwiseRepeatsWhatIsMissing) {
  expect(eval("add %a[n, c], %b[c] -> [n, c] : <2, 3>, <3>", "real<2, 3>",
              {{"real<2, 3>", x}, {"real<3>", row({10, 20, 30})}}),
         {2, 3}, {11, 22, 33, 14, 25, 36});
  expect(eval("subtract %b[n], %a[n, c] -> [c, n] : <2>, <2, 3>", "real<3, 2>",
              {{"real<2, 3>", x}, {"real<2>", row({10, 20})}}),
         {3, 2}, {9, 16, 8, 15, 7, 14});
  expect(eval("multiply %a[a], %b[b] -> [a, b] : <2>, <2>", "real<2, 2>",
              {{"real<2>", row({2, 3})}, {"real<2>", row({5, 7})}}),
         {2, 2}, {10, 14, 15, 21});
  expect(eval("maximum %a[c], %b[] -> [c] : <3>, <>", "real<3>",
              {{"real<3>", row({1, -4, 3})}, {"real<>", tensor({}, {2})}}),
         {3}, {2, 2, 3});
  for (auto [a, b] :
       {std::pair<double, double>(NAN, 1), std::pair<double, double>(1, NAN)})
    EXPECT_TRUE(
        std::isnan(eval("maximum %a[c], %b[c] -> [c] : <1>, <1>", "real<1>",
                        {{"real<1>", row({a})}, {"real<1>", row({b})}})
                       .data[0]));
  expect(eval("divide %a[], %b[c] -> [c] : <>, <2>", "real<2>",
              {{"real<>", tensor({}, {1})}, {"real<2>", row({2, 4})}}),
         {2}, {0.5, 0.25});
}

TEST_F(InterpreterTest, Functions) {
  auto of = [&](const std::string &op, double value) {
    return eval(op + " : <1>", "real<1>", {{"real<1>", row({value})}}).data[0];
  };
  EXPECT_EQ(of("relu %a", -2), 0);
  EXPECT_EQ(of("relu %a", 3), 3);
  EXPECT_DOUBLE_EQ(of("gelu %a", 1), 0.8413447460685429);
  EXPECT_DOUBLE_EQ(of("gelu %a", -1), -0.15865525393145707);
  // For large arguments there is no cancellation: -10 Φ(-10).
  EXPECT_NEAR(of("gelu %a", -10) / -7.619853024160527e-23, 1, 1e-12);
  EXPECT_DOUBLE_EQ(of("sigmoid %a", 0), 0.5);
  EXPECT_DOUBLE_EQ(of("sigmoid %a", -800), 0);
  EXPECT_DOUBLE_EQ(of("tanh %a", 0.5), 0.46211715726000979);
  EXPECT_DOUBLE_EQ(of("exp %a", 1), 2.7182818284590451);
  EXPECT_DOUBLE_EQ(of("log2 %a", 10), 3.321928094887362);
  EXPECT_EQ(of("log2 %a", 0), -INFINITY);
  EXPECT_DOUBLE_EQ(of("log1p %a", 1e-20), 1e-20);
  EXPECT_EQ(of("log1p %a", -1), -INFINITY);
  EXPECT_TRUE(std::isnan(of("log2 %a", -1)));
  EXPECT_EQ(of("negate %a", 3), -3);
  EXPECT_DOUBLE_EQ(of("scale %a by <\"1/sqrt(32)\"> \"s\"", 8), std::sqrt(2));
  EXPECT_DOUBLE_EQ(of("power %a to <\"-1/2\">", 16), 0.25);
  EXPECT_DOUBLE_EQ(of("power %a to <\"2\">", -3), 9);
}

TEST_F(InterpreterTest, RoundToTheNearestTiesToEven) {
  auto to = [&](const std::string &type, double value) {
    return eval("round %a to " + type + " : <1>", "real<1>",
                {{"real<1>", row({value})}})
        .data[0];
  };
  // bf16 stores 7 bits of the significand: 1 + k/128.
  EXPECT_EQ(to("bf16", 1 + 1.0 / 256), 1);
  EXPECT_EQ(to("bf16", 1 + 3.0 / 256), 1 + 2.0 / 128);
  EXPECT_EQ(to("bf16", -(1 + 1.01 / 256)), -(1 + 1.0 / 128));
  // Not via float32, which would make this a tie.
  EXPECT_EQ(to("bf16", 1 + 1.0 / 256 + 0x1p-40), 1 + 1.0 / 128);
  EXPECT_EQ(to("bf16", 3.4e38), INFINITY);
  EXPECT_EQ(to("bf16", 0x1p-134), 0);
  EXPECT_EQ(to("bf16", 0x1.8p-133), 0x1p-132);
  // f16 stores 10 bits and goes up to 65504.
  EXPECT_EQ(to("f16", 2049), 2048);
  EXPECT_EQ(to("f16", 2051), 2052);
  EXPECT_EQ(to("f16", 65519), 65504);
  EXPECT_EQ(to("f16", 65520), INFINITY);
  EXPECT_EQ(to("f16", -65520), -INFINITY);
  EXPECT_EQ(to("f16", 0x1p-25), 0);
  EXPECT_EQ(to("f16", 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(to("f32", 16777217), 16777216);
  EXPECT_EQ(to("f32", 0.1), double(0.1f));
}

TEST_F(InterpreterTest, RowsByThemselves) {
  expect(eval("softmax %a : <2, 2>", "real<2, 2>",
              {{"real<2, 2>", tensor({2, 2}, {0, std::log(3.0), 1000, 1000})}}),
         {2, 2}, {0.25, 0.75, 0.5, 0.5});
  // A sink joins the sum of a row; far above its scores it takes all of it.
  expect(eval("softmax %a sink %b : <2> : <2, 1, 2>", "real<2, 1, 2>",
              {{"real<2, 1, 2>", tensor({2, 1, 2}, {0, std::log(3.0), 7, 7})},
               {"real<2>", row({std::log(4.0), 7})}}),
         {2, 1, 2}, {0.125, 0.375, 1.0 / 3, 1.0 / 3});
  expect(eval("softmax %a sink %b : <> : <2>", "real<2>",
              {{"real<2>", row({0, 1})}, {"real<>", tensor({}, {1e4})}}),
         {2}, {0, 0});
  // 1/3 becomes 171/512 before the sum; the largest is always 1.
  expect(eval("softmax %a rounded bf16 : <2>", "real<2>",
              {{"real<2>", row({100, 100 - std::log(3.0)})}}),
         {2}, {512.0 / 683, 171.0 / 683});
  expect(eval("softmax %a sink %b : <> rounded bf16 : <2>", "real<2>",
              {{"real<2>", row({0, -std::log(3.0)})},
               {"real<>", tensor({}, {std::log(2.0)})}}),
         {2}, {512.0 / 1707, 171.0 / 1707});
  expect(eval("unit %a : <2, 2>", "real<2, 2>",
              {{"real<2, 2>", tensor({2, 2}, {3, 4, 0, -2})}}),
         {2, 2}, {0.6, 0.8, 0, -1});
  // Mean 3, variance 4 (by n, not n - 1), ε = 5: (x - 3) / 3.
  expect(eval("standardize %a epsilon <\"5\"> : <2>", "real<2>",
              {{"real<2>", row({1, 5})}}),
         {2}, {-2.0 / 3, 2.0 / 3});
  // Mean of squares 25, ε = 0: the mean is not subtracted.
  expect(eval("unit_rms %a epsilon <\"0\"> : <2>", "real<2>",
              {{"real<2>", row({1, 7})}}),
         {2}, {0.2, 1.4});
}

TEST_F(InterpreterTest, ReductionsRemoveTheirAxis) {
  expect(eval("sum %a over 0 : <2, 3>", "real<3>", {{"real<2, 3>", x}}), {3},
         {5, 7, 9});
  expect(eval("mean %a over 1 : <2, 3>", "real<2>", {{"real<2, 3>", x}}), {2},
         {2, 5});
  expect(eval("max %a over 0 : <2>", "real<>", {{"real<2>", row({-3, -2})}}),
         {}, {-2});
}

TEST_F(InterpreterTest, Constants) {
  expect(eval("constant <\"3*sqrt(4)/8\"> : <>", "real<>"), {}, {0.75});
  expect(eval("integers 7 : <3>", "integer<3>"), {3}, {7, 7, 7});
}

TEST_F(InterpreterTest, GatherTakesRows) {
  expect(eval("gather %a[%b] : <2, 3>, <n>", "real<n, 3>",
              {{"real<2, 3>", x}, {"integer<n>", row({1, 0, 1})}}),
         {3, 3}, {4, 5, 6, 1, 2, 3, 4, 5, 6});
  EXPECT_THROW(eval("gather %a[%b] : <2, 3>, <n>", "real<n, 3>",
                    {{"real<2, 3>", x}, {"integer<n>", row({2})}}),
               reference::InterpreterError);
}

TEST_F(InterpreterTest, RowsThatAreChosen) {
  expect(eval("running_count %a : <n>", "real<n>",
              {{"real<n>", row({0, 3, 0, -2})}}),
         {4}, {0, 1, 1, 2});
  Tensor rows = tensor({3, 2}, {1, 2, 3, 4, 5, 6}), ranks = row({1, 1, 2});
  expect(eval("compress %a by %b : <n, 2>, <n> -> <m, 2>", "real<m, 2>",
              {{"real<n, 2>", rows}, {"real<n>", ranks}}),
         {2, 2}, {1, 2, 5, 6});
  expect(eval("compress %a by %b : <n, 2>, <n> -> <m, 2>", "real<m, 2>",
              {{"real<n, 2>", rows}, {"real<n>", row({0, 0, 0})}}),
         {0, 2}, {});
  expect(
      eval("expand %a by %b : <m, 2>, <n>", "real<n, 2>",
           {{"real<m, 2>", tensor({2, 2}, {1, 2, 5, 6})}, {"real<n>", ranks}}),
      {3, 2}, {1, 2, 0, 0, 5, 6});
}

TEST_F(InterpreterTest, RowsThatAreListed) {
  // Rows 0 and 2 chose the first member, row 2 the second.
  Tensor weights = tensor({3, 2}, {0.5, 0, 0, 0, 2, 3}),
         ranks = tensor({3, 2}, {1, 0, 1, 0, 2, 1}),
         list = tensor({2, 3}, {0, 2, -1, 2, -1, -1});
  expect(eval("running_count %a : <n, 2>", "real<n, 2>",
              {{"real<n, 2>", weights}}),
         {3, 2}, ranks.data);
  expect(eval("build_row_index %a : <n, 2>", "real<2, n>",
              {{"real<n, 2>", ranks}}),
         {2, 3}, list.data);
  Tensor taken = eval("gather_rows %a by %b : <n, 2>, <2, n>", "real<2, n, 2>",
                      {{"real<n, 2>", tensor({3, 2}, {1, 2, 3, 4, 5, 6})},
                       {"real<2, n>", list}});
  const std::vector<double> rows = {1, 2, 5, 6, 0, 0, 5, 6, 0, 0, 0, 0};
  for (size_t at = 0; at < rows.size(); ++at)
    if (rows[at] == 0)
      EXPECT_TRUE(std::isnan(taken.data[at])) << at;
    else
      EXPECT_EQ(taken.data[at], rows[at]) << at;
  // Entries past the end of a list are in no sum.
  expect(eval("scatter_add %a by %b times %c : <2, n, 2>, <n, 2>", "real<n, 2>",
              {{"real<2, n, 2>", taken},
               {"real<n, 2>", ranks},
               {"real<n, 2>", weights}}),
         {3, 2}, {0.5, 1, 0, 0, 25, 30});
}

TEST_F(InterpreterTest, SliceAndSelect) {
  expect(eval("slice %a axis 1 from 1 : <2, 3> -> <2, 2>", "real<2, 2>",
              {{"real<2, 3>", x}}),
         {2, 2}, {2, 3, 5, 6});
  expect(eval("select %a axis 0 at 0 : <n, 3>", "real<3>", {{"real<n, 3>", x}}),
         {3}, {1, 2, 3});
  expect(
      eval("select %a axis 1 at -1 : <n, 3>", "real<n>", {{"real<n, 3>", x}}),
      {2}, {3, 6});
  // A sequence that is too short for the selected row.
  EXPECT_THROW(
      eval("select %a axis 0 at -3 : <n, 3>", "real<3>", {{"real<n, 3>", x}}),
      reference::InterpreterError);
  EXPECT_THROW(eval("slice %a axis 0 from 1 : <n, 3> -> <2, 3>", "real<2, 3>",
                    {{"real<n, 3>", x}}),
               reference::InterpreterError);
}

TEST_F(InterpreterTest, RearrangeSplitsMergesAndReorders) {
  Tensor y = tensor({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect(eval("rearrange %a[n, (i c)] -> [i, n, c] : <n, 4> -> <2, n, 2>",
              "real<2, n, 2>", {{"real<n, 4>", y}}),
         {2, 2, 2}, {0, 1, 4, 5, 2, 3, 6, 7});
  expect(eval("rearrange %a[i, n, c] -> [n, (c i)] : <2, 2, 2> -> <2, 4>",
              "real<2, 4>",
              {{"real<2, 2, 2>", tensor({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7})}}),
         {2, 4}, {0, 4, 1, 5, 2, 6, 3, 7});
  expect(eval("rearrange %a[n, c] -> [(), c, n] : <2, 3> -> <1, 3, 2>",
              "real<1, 3, 2>", {{"real<2, 3>", x}}),
         {1, 3, 2}, {1, 4, 2, 5, 3, 6});
  // Split on one side, merged otherwise on the other: b is 4 / 2 = 2.
  expect(eval("rearrange %a[n, (a b)] -> [(n a), b] : <2, 4> -> <4, 2>",
              "real<4, 2>", {{"real<2, 4>", y}}),
         {4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  // a is 4 / 2 = 2 by the result, and only then b by the input.
  expect(
      eval("rearrange %a[(a b), c, d] -> [(a c), (b d)] : <6, 2, 1> -> <4, 3>",
           "real<4, 3>",
           {{"real<6, 2, 1>",
             tensor({6, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}}),
      {4, 3}, {0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11});
}

TEST_F(InterpreterTest, RepeatEachMemberInARow) {
  expect(eval("repeat %a axis 0 times 2 : <2, 3>", "real<4, 3>",
              {{"real<2, 3>", x}}),
         {4, 3}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  expect(eval("repeat %a axis 1 times 2 : <1, 2>", "real<1, 4>",
              {{"real<1, 2>", tensor({1, 2}, {1, 2})}}),
         {1, 4}, {1, 1, 2, 2});
}

TEST_F(InterpreterTest, AppendAlongEitherAxis) {
  Tensor one = tensor({1, 2}, {1, 2}), two = tensor({2, 2}, {3, 4, 5, 6});
  expect(eval("append %a, %b axis 0 : <1, 2>, <2, 2> -> <3, 2>", "real<3, 2>",
              {{"real<1, 2>", one}, {"real<2, 2>", two}}),
         {3, 2}, {1, 2, 3, 4, 5, 6});
  expect(eval("append %a, %b axis 1 : <2, 2>, <2, 1> -> <2, 3>", "real<2, 3>",
              {{"real<2, 2>", two}, {"real<2, 1>", tensor({2, 1}, {7, 8})}}),
         {2, 3}, {3, 4, 7, 5, 6, 8});
}

TEST_F(InterpreterTest, PatchesAreRowsWithTheChannelOutermost) {
  // Two channels of 2 x 4: the left square, then the right one.
  expect(
      eval("patches %a size 2 : <2, 2, 4>", "real<2, 8>",
           {{"real<2, 2, 4>", tensor({2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 10, 11,
                                                 12, 13, 14, 15, 16, 17})}}),
      {2, 8}, {0, 1, 4, 5, 10, 11, 14, 15, 2, 3, 6, 7, 12, 13, 16, 17});
  // Squares of two rows of an image, downwards.
  expect(eval("patches %a size 1 : <1, 2, 2>", "real<4, 1>",
              {{"real<1, 2, 2>", tensor({1, 2, 2}, {1, 2, 3, 4})}}),
         {4, 1}, {1, 2, 3, 4});
}

TEST_F(InterpreterTest, LayersReadTheirOwnWeights) {
  // x·(W0 + 1)·(W1 + 1), the second stored transposed to the first.
  auto module = parse(R"(
    xf.stored @W[l = 2] : !xf.real<2, 2> from "w{l}" plus <"1">
      as <([2:1], [2:2])>
    xf.entry @f(%x: !xf.real<n, 2>) -> !xf.real<n, 2> {
      %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 2> {
        %W = xf.weight @W[%l] : <2, 2>
        %b = xf.contract %a[n, k], %W[k, c] -> [n, c] : <n, 2>, <2, 2>
        xf.yield %b : !xf.real<n, 2>
      }
      xf.return %y : !xf.real<n, 2>
    })");
  test::RandomCheckpoint checkpoint;
  checkpoint.add("w0", 4);
  checkpoint.add("w1", 4);
  double expected[2] = {1, 2};
  for (const char *name : {"w0", "w1"}) {
    const checkpoint::StoredTensor &w = checkpoint.tensors().at(name);
    double next[2];
    for (int c : {0, 1})
      next[c] = expected[0] * (w.element(2 * c) + 1) +
                expected[1] * (w.element(2 * c + 1) + 1);
    std::copy(next, next + 2, expected);
  }
  expect(run(*module, {tensor({1, 2}, {1, 2})}, &checkpoint)[0], {1, 2},
         {expected[0], expected[1]});
  EXPECT_THROW(run(*module, {tensor({1, 2}, {1, 2})}),
               reference::InterpreterError);
}

TEST_F(InterpreterTest, CarriedValuesChangeAtOnce) {
  // Fibonacci: (a, b) → (b, a + b).
  auto module = parse(R"(
    xf.entry @f(%x: !xf.real<>, %y: !xf.real<>) -> (!xf.real<>, !xf.real<>) {
      %r:2 = xf.layers %l < 5 (%a = %x, %b = %y) : !xf.real<>, !xf.real<> {
        %c = xf.add %a[], %b[] -> [] : <>, <>
        xf.yield %b, %c : !xf.real<>, !xf.real<>
      }
      xf.return %r#0, %r#1 : !xf.real<>, !xf.real<>
    })");
  auto results = run(*module, {tensor({}, {0}), tensor({}, {1})});
  EXPECT_EQ(results[0].data[0], 5);
  EXPECT_EQ(results[1].data[0], 8);
}

TEST_F(InterpreterTest, KernelsHaveTheirOwnLengths) {
  // One kernel over two lengths; one whose length only occurs in its result.
  auto module = parse(R"(
    xf.kernel @twice(%x: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>} {
      %0 = xf.add %x[n], %x[n] -> [n] : <n>, <n>
      xf.return %0 : !xf.real<n>
    }
    xf.kernel @first(%x: !xf.real<4>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>} {
      %0 = xf.slice %x axis 0 from 1 : <4> -> <n>
      xf.return %0 : !xf.real<n>
    }
    xf.entry @f(%x: !xf.real<n>, %y: !xf.real<m>, %p: !xf.real<4>) -> (!xf.real<n>, !xf.real<m>, !xf.real<m>) {
      %0 = xf.launch @twice(%x) : (!xf.real<n>) -> !xf.real<n>
      %1 = xf.launch @twice(%y) : (!xf.real<m>) -> !xf.real<m>
      %2 = xf.launch @first(%p) : (!xf.real<4>) -> !xf.real<m>
      xf.return %0, %1, %2 : !xf.real<n>, !xf.real<m>, !xf.real<m>
    })");
  auto results = run(*module, {row({1}), row({2, 3}), row({10, 20, 30, 40})});
  expect(results[0], {1}, {2});
  expect(results[1], {2}, {4, 6});
  expect(results[2], {2}, {20, 30});
}

TEST_F(InterpreterTest, WrongShapesAreRefused) {
  auto module = parse("xf.entry @f(%x: !xf.real<n, 2>, %y: !xf.real<n>) {\n"
                      "xf.return\n}");
  Tensor y = row({1, 2});
  EXPECT_NO_THROW(run(*module, {tensor({2, 2}, {1, 2, 3, 4}), y}));
  EXPECT_THROW(run(*module, {tensor({1, 2}, {1, 2}), y}),
               reference::InterpreterError);
  EXPECT_THROW(run(*module, {x, y}), reference::InterpreterError);
  EXPECT_THROW(run(*module, {y, y}), reference::InterpreterError);
  EXPECT_THROW(run(*module, {y}), reference::InterpreterError);
}

/// A step from position p reads no row before p - window + 1; a sequence that
/// is shortened reads the rows that still exist.
TEST_F(InterpreterTest, RecallShowsNoRowsBeforeAWindow) {
  auto module = parse(R"(
    xf.cache @c : !xf.real<n, 1> window 2
    xf.entry @f.step(%x: !xf.real<n, 1>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n.seen, 1> {
      xf.cache_write %x in @c from %first : <n, 1>
      %all = xf.cache_read @c : <n.seen, 1>
      xf.return %all : !xf.real<n.seen, 1>
    })");
  auto entry = *module->getOps<xf::EntryOp>().begin();
  reference::Interpreter interpreter(*module, nullptr);
  reference::Kept kept;
  auto step = [&](std::vector<double> rows, double first) {
    auto count = static_cast<int64_t>(rows.size());
    return interpreter
        .run(entry, {tensor({count, 1}, std::move(rows)), tensor({}, {first})},
             &kept)
        .front();
  };
  expect(step({1, 2, 3}, 0), {3, 1}, {1, 2, 3});
  expect(step({4}, 3), {4, 1}, {0, 0, 3, 4});
  expect(step({5, 6}, 4), {6, 1}, {0, 0, 0, 4, 5, 6});
  expect(step({9}, 2), {3, 1}, {0, 2, 9});
}

} // namespace
