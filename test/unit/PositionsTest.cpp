// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What masks, tables, rotations, windows and families mean, and what a mask can
// be proven to say.

#include "test/unit/Xf.h"

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
  %y = xf.windows %x stride 2 pad 1 : <4, 1> -> <2, 3, 1>
  xf.return %y : !xf.real<2, 3, 1>
})mlir");
  auto found = run(*module, {tensor({4, 1}, {1, 2, 3, 4})});
  expectNear(found[0], tensor({2, 3, 1}, {0, 1, 2, 2, 3, 4}), 0);
}

TEST_F(PositionsTest, TopTakesTheFirstOfEqualOnes) {
  auto module = parse(R"mlir(
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %y = xf.top 2 of %x : <n, 4>
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
