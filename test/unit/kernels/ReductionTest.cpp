// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, means and maxima.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

TEST_F(Kernels, MeanOverRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 100>) -> !xf.real<100> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 100>
  %1 = xf.tanh %0 : !xf.real<100>
  xf.return %1 : !xf.real<100>
})mlir",
         everyLength);
}

TEST_F(Kernels, SumOfARow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<100>) -> !xf.real<> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.sum %x over 0 : !xf.real<100>
  xf.return %0 : !xf.real<>
})mlir",
         {1});
}

TEST_F(Kernels, MaximumOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 100>) -> !xf.real<n> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.max %x over 1 : !xf.real<n, 100>
  xf.return %0 : !xf.real<n>
})mlir",
         fewLengths);
}

} // namespace
