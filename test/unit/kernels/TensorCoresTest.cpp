// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the tensor cores of a GPU, on a machine without one: PTX of all
// forms, for widths and depths that fill blocks and that do not. ptxas.test
// assembles such kernels, FragmentCallsTest.cpp executes their instructions.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

/// A product of rows with a matrix, followed by more, in the form of
/// `schedule`; `sides` matrices of one x.
std::string product(int depth, int columns, const std::string &schedule,
                    int matrices = 1) {
  const std::string second =
      matrices == 1 ? ""
                    : fmt::format(", %V: !xf.real<{0}, {1}> "
                                  "{{xf.storage = #xf.storage<bf16, <32, 2>>}}",
                                  depth, columns);
  return fmt::format(
      R"mlir(
xf.kernel @k(%x: !xf.real<n, {0}>, %W: !xf.real<{0}, {1}> {{xf.storage = #xf.storage<bf16, <32, 2>>}}{2},
             %b: !xf.real<{1}>) -> !xf.real<n, {1}>
    attributes {{anchor = #xf.anchor<contraction>{4}}} {{
  %0 = xf.round %x to bf16 : <n, {0}>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, {0}>, <{0}, {1}>
  %2 = xf.add %1[n, c], %b[c] -> [n, c] : <n, {1}>, <{1}>
  {3}
}})mlir",
      depth, columns, second,
      matrices == 1
          ? fmt::format("xf.return %2 : !xf.real<n, {}>", columns)
          : fmt::format(
                R"mlir(%3 = xf.contract %0[n, k], %V[k, c] -> [n, c] : <n, {0}>, <{0}, {1}>
  %4 = xf.multiply %2[n, c], %3[n, c] -> [n, c] : <n, {1}>, <n, {1}>
  xf.return %4 : !xf.real<n, {1}>)mlir",
                depth, columns),
      schedule);
}

std::string ofFew(int rows, int depth, int parts) {
  return fmt::format(", schedule = {{columns = 32, depth = {}, parts = {}, "
                     "rows = {}, tiles = 1}}",
                     depth, parts, rows);
}

class TensorCores : public Kernels {
protected:
  /// The number of instructions in the kernel's PTX.
  size_t instructionsOf(const std::string &text) {
    target = "cuda_80";
    const std::string assembly = assemblyOf(text);
    EXPECT_FALSE(StringRef(assembly).contains("transfold_")) << text;
    EXPECT_FALSE(StringRef(assembly).contains(".local")) << text;
    return StringRef(assembly).count("mma.sync.aligned.m16n8k16");
  }
};

// A warp has 32 by 32 sums, and a step 32 terms: two instructions for each of
// two by four fragments.
TEST_F(TensorCores, ManyRows) {
  for (int depth : {64, 96, 768, 3072, 352})
    for (int columns : {32, 33, 64, 100, 160, 256, 384})
      EXPECT_EQ(instructionsOf(product(depth, columns, "")), 16U)
          << depth << ", " << columns;
}

// The same for 16 rows by 32 columns of two matrices.
TEST_F(TensorCores, TwoMatrices) {
  for (int columns : {32, 100, 256})
    EXPECT_EQ(instructionsOf(product(256, columns, "", 2)), 16U) << columns;
}

TEST_F(TensorCores, FewRows) {
  for (int rows : {8, 16})
    for (int columns : {32, 33, 100, 256}) {
      EXPECT_EQ(instructionsOf(product(768, columns, ofFew(rows, 64, 12))), 8U);
      EXPECT_EQ(instructionsOf(product(64, columns, ofFew(rows, 32, 2))), 8U);
    }
  EXPECT_EQ(instructionsOf(product(256, 100, ofFew(16, 32, 8), 2)), 16U);
}

} // namespace
