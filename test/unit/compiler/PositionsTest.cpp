// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of masks, tables, rotary positions, windows and families, and
// what can be proven about a mask.

#include "dialect/positions/Mask.h"
#include "test/unit/compiler/Xf.h"

#include <cmath>

using namespace mlir;
using namespace transfold;
using reference::Tensor;

namespace {

class PositionsTest : public test::XfTest {
protected:
  xf::MaskAttr mask(const std::string &comparisons) {
    std::string text = "xf.entry @f(%S: !xf.real<n, n>) -> !xf.real<n, n> {\n"
                       "%P = xf.softmax %S where [" +
                       comparisons +
                       "] : <n, n>\nxf.return %P : !xf.real<n, n>\n}";
    module = parse(text);
    xf::MaskAttr found;
    module->walk([&](xf::SoftmaxOp op) { found = *op.getMask(); });
    return found;
  }

  OwningOpRef<ModuleOp> module;
};

TEST_F(PositionsTest, MasksProveCausality) {
  EXPECT_TRUE(mask("j <= i").isCausal());
  EXPECT_TRUE(mask("j <= i, i - j <= 7").isCausal());
  EXPECT_TRUE(mask("j == i").isCausal());
  EXPECT_TRUE(mask("2 * j <= i").isCausal());
  EXPECT_TRUE(mask("j + 3 <= i").isCausal());
  EXPECT_FALSE(mask("j <= i + 1").isCausal());
  EXPECT_FALSE(mask("i - j <= 7").isCausal());
  EXPECT_FALSE(mask("j <= 2 * i").isCausal());
  EXPECT_FALSE(mask("j <= 5").isCausal());
}

TEST_F(PositionsTest, MasksProveHowFarBackTheyLook) {
  EXPECT_EQ(mask("j <= i, i - j <= 7").getFarthestBack(), 7);
  EXPECT_EQ(mask("i <= j + 3, j <= i").getFarthestBack(), 3);
  EXPECT_EQ(mask("i == j").getFarthestBack(), 0);
  EXPECT_EQ(mask("2 * i - 2 * j <= 7").getFarthestBack(), 3);
  EXPECT_EQ(mask("j <= i").getFarthestBack(), std::nullopt);
  EXPECT_EQ(mask("j <= 5").getFarthestBack(), std::nullopt);
}

/// The first row that sees no key, for constant or variable numbers of queries
/// and keys.
TEST_F(PositionsTest, MasksProveThatEachRowSeesAKey) {
  auto hidden = [&](const std::string &comparisons, StringRef rows,
                    StringRef keys) {
    xf::MaskAttr found = mask(comparisons);
    auto axis = [&](StringRef text) -> Attribute {
      int64_t number;
      if (text.getAsInteger(10, number))
        return StringAttr::get(&context, text);
      return xf::getAxis(&context, number);
    };
    auto row = xf::findHiddenRow(found, axis(rows), axis(keys));
    return row ? row->row : -1;
  };
  EXPECT_EQ(hidden("j <= i", "n", "n"), -1);
  EXPECT_EQ(hidden("j <= i", "n", "m"), -1);
  EXPECT_EQ(hidden("j <= i, i - j <= 4294967295", "n", "n"), -1);
  EXPECT_EQ(hidden("i - j <= 3, j - i <= 3", "n", "n"), -1);
  EXPECT_EQ(hidden("j == i", "n", "n"), -1);
  EXPECT_EQ(hidden("i <= j", "n", "n"), -1);
  EXPECT_EQ(hidden("2 * j <= i", "n", "n"), -1);
  EXPECT_EQ(hidden("i <= 2 * j, 2 * j <= i + 1", "n", "n"), -1);
  EXPECT_EQ(hidden("j + 1 <= i", "n", "n"), 0);
  EXPECT_EQ(hidden("i + 1 <= j", "n", "n"), 0);
  EXPECT_EQ(hidden("3 <= j", "n", "n"), 0);
  EXPECT_EQ(hidden("2 * j == i", "n", "n"), 1);
  EXPECT_EQ(hidden("j <= i, j <= 5, i - j <= 7", "n", "n"), 13);
  EXPECT_EQ(hidden("0 == 1", "n", "n"), 0);
  // Another sequence has at least one key.
  EXPECT_EQ(hidden("i - j <= 2", "n", "m"), 3);
  EXPECT_EQ(hidden("i - j <= 4294967296", "n", "m"), 4294967297);
  EXPECT_EQ(hidden("j == i", "n", "10"), 10);
  EXPECT_EQ(hidden("j == i", "10", "10"), -1);
  EXPECT_EQ(hidden("j == i", "10", "12"), -1);
  EXPECT_EQ(hidden("3 <= j", "n", "4"), -1);
}

TEST_F(PositionsTest, MasksLimitTheKeysThatAreRead) {
  auto bounds = [&](const std::string &comparisons) {
    auto [from, to] = xf::seenKeysOf(mask(comparisons));
    return std::pair(from.getNumResults(), to.getNumResults());
  };
  EXPECT_EQ(bounds("j <= i, i - j <= 4095"), std::pair(1u, 1u));
  EXPECT_EQ(bounds("j <= i"), std::pair(0u, 1u));
  // Bounds that no position reaches do not count.
  EXPECT_EQ(bounds("j <= i, i - j <= 4294967295"), std::pair(0u, 1u));
  EXPECT_EQ(bounds("j - i <= 4294967295"), std::pair(0u, 0u));
  EXPECT_EQ(bounds("j <= 2147483647, 0 <= j"), std::pair(0u, 0u));
}

TEST_F(PositionsTest, SoftmaxAmongWhatIsChosen) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n, 3>, %t: !xf.real<n, 3>) -> !xf.real<n, 3> {
  %y = xf.softmax %x among %t : <n, 3>
  xf.return %y : !xf.real<n, 3>
})mlir");
  // The maximum is taken over the chosen scores.
  double e = std::exp(1.0);
  auto found = run(*module, {tensor({2, 3}, {9000, -1, 0, 7, 7, 2}),
                             tensor({2, 3}, {0, 1, 1, 1, 1, 0})});
  expectNear(found[0],
             tensor({2, 3}, {0, 1 / (1 + e), e / (1 + e), 0.5, 0.5, 0}), 1e-15);
}

TEST_F(PositionsTest, NaNIsNotChosen) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n, 3>) -> (!xf.real<n, 3>, !xf.real<n, 3>) {
  %t = xf.topk_mask 1 of %x : <n, 3>
  %z = xf.negate %x : <n, 3>
  %y = xf.softmax %z among %t : <n, 3>
  xf.return %t, %y : !xf.real<n, 3>, !xf.real<n, 3>
})mlir");
  auto found = run(*module, {tensor({2, 3}, {1, NAN, 3, 1, 2, 3})});
  for (const Tensor &result : found)
    for (int64_t k = 0; k < 6; ++k)
      EXPECT_EQ(std::isnan(result.data[k]), k < 3) << k;
}

TEST_F(PositionsTest, LengthsAreNumbers) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<2, n>, %t: !xf.integer<m>) -> (!xf.real<>, !xf.real<m>) {
  %n = xf.length %x axis 1 : !xf.real<2, n>
  %m = xf.length %t axis 0 : !xf.integer<m>
  %e = xf.tabulate "[i] = %0[] * 10 + i if i == %1[] - 1 else i mod %0[]"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<m>
  xf.return %n, %e : !xf.real<>, !xf.real<m>
})mlir");
  for (int64_t n : {2, 3}) {
    auto found = run(*module, {Tensor({2, n}), Tensor({5})});
    expectNear(found[0], tensor({}, {double(n)}), 0);
    std::vector<double> rows;
    for (int i = 0; i < 4; ++i)
      rows.push_back(double(i % n));
    rows.push_back(double(n) * 10 + 4);
    expectNear(found[1], tensor({5}, rows), 0);
  }
}

TEST_F(PositionsTest, MaskedSoftmaxIsOverWhatIsSeen) {
  mask("j <= i, i - j <= 1");
  double e = std::exp(1.0);
  auto found = run(*module, {tensor({3, 3}, {1, 9, 9, 0, 1, 9, 9, 5, 4})});
  expectNear(found[0],
             tensor({3, 3}, {1, 0, 0, 1 / (1 + e), e / (1 + e), 0, 0,
                             e / (1 + e), 1 / (1 + e)}),
             1e-15);
}

TEST_F(PositionsTest, ASequenceThatSeesNothingIsAnError) {
  mask("j + 1 <= i");
  EXPECT_THROW(run(*module, {tensor({1, 1}, {1})}),
               reference::InterpreterError);
}

TEST_F(PositionsTest, TablesReadArraysByIndex) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n>, %T: !xf.real<3, 2>) -> !xf.real<2, n> {
  %r = xf.tabulate "[a, t] = %0[min(t, 2), a] + t / 2"(%T) : (!xf.real<3, 2>) -> !xf.real<2, n>
  xf.return %r : !xf.real<2, n>
})mlir");
  auto found = run(
      *module, {tensor({4}, {0, 0, 0, 0}), tensor({3, 2}, {1, 2, 3, 4, 5, 6})});
  expectNear(found[0], tensor({2, 4}, {1, 3.5, 6, 6.5, 2, 4.5, 7, 7.5}), 0);
  module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n>, %T: !xf.real<3, 2>) -> !xf.real<n> {
  %r = xf.tabulate "[t] = %0[t, 1]"(%T) : (!xf.real<3, 2>) -> !xf.real<n>
  xf.return %r : !xf.real<n>
})mlir");
  EXPECT_THROW(run(*module, {tensor({4}, {0, 0, 0, 0}),
                             tensor({3, 2}, {1, 2, 3, 4, 5, 6})}),
               reference::InterpreterError);
}

TEST_F(PositionsTest, RotationsTurnPairs) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<2, n, 4>) -> !xf.real<2, n, 4> {
  %cos = xf.tabulate "[t, c] = cos(t * (c + 1) * 1.5707963267948966)"() : () -> !xf.real<n, 2>
  %sin = xf.tabulate "[t, c] = sin(t * (c + 1) * 1.5707963267948966)"() : () -> !xf.real<n, 2>
  %y = xf.rotate %x by %cos, %sin : <2, n, 4>, <n, 2>
  xf.return %y : !xf.real<2, n, 4>
})mlir");
  // Position 0 stays; at position 1 the first pair turns by a quarter, the
  // second by a half.
  auto found = run(*module, {tensor({2, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4, //
                                                5, 6, 7, 8, 5, 6, 7, 8})});
  expectNear(found[0],
             tensor({2, 2, 4}, {1, 2, 3, 4, -3, -2, 1, -4, //
                                5, 6, 7, 8, -7, -6, 5, -8}),
             1e-14);
}

TEST_F(PositionsTest, WindowsAreZeroBeyondTheEnds) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<4, 1>) -> !xf.real<2, 3, 1> {
  %y = xf.unfold %x stride 2 pad 1 : <4, 1> -> <2, 3, 1>
  xf.return %y : !xf.real<2, 3, 1>
})mlir");
  auto found = run(*module, {tensor({4, 1}, {1, 2, 3, 4})});
  expectNear(found[0], tensor({2, 3, 1}, {0, 1, 2, 2, 3, 4}), 0);
}

TEST_F(PositionsTest, WindowsMayBeReflected) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<4>) -> !xf.real<3, 6> {
  %y = xf.unfold %x stride 2 pad 3 reflected : <4> -> <3, 6>
  xf.return %y : !xf.real<3, 6>
})mlir");
  auto found = run(*module, {tensor({4}, {1, 2, 3, 4})});
  expectNear(found[0],
             tensor({3, 6}, {4, 3, 2, 1, 2, 3, //
                             2, 1, 2, 3, 4, 3, //
                             2, 3, 4, 3, 2, 1}),
             0);
}

TEST_F(PositionsTest, TopTakesTheFirstOfEqualOnes) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %y = xf.topk_mask 2 of %x : <n, 4>
  xf.return %y : !xf.real<n, 4>
})mlir");
  auto found = run(*module, {tensor({2, 4}, {1, 3, 2, 4, 5, 5, 5, 5})});
  expectNear(found[0], tensor({2, 4}, {0, 1, 0, 1, 1, 1, 0, 0}), 0);
}

TEST_F(PositionsTest, StacksPutMembersInFront) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n>, %y: !xf.real<n>) -> !xf.real<2, n> {
  %s = xf.stack %x, %y : (!xf.real<n>, !xf.real<n>) -> !xf.real<2, n>
  xf.return %s : !xf.real<2, n>
})mlir");
  auto found = run(*module, {tensor({2}, {1, 2}), tensor({2}, {3, 4})});
  expectNear(found[0], tensor({2, 2}, {1, 2, 3, 4}), 0);
}

} // namespace
