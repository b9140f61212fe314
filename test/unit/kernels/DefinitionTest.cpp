// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values defined by index.

#include "test/unit/kernels/Kernels.h"
#include "test/unit/kernels/RandomDefinition.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

TEST_F(Kernels, SinesOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 12>) -> !xf.real<n, 12> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = cos((3 + t * 2 - 7) * 0.1 / 100^(c / 12) + c)"() : () -> !xf.real<n, 12>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 12>, <n, 12>
  xf.return %1 : !xf.real<n, 12>
})mlir",
         {1, 2, 64, 300}, 2e-7);
}

// Sines of large angles, where an angle in float32 has an error of 2e-3.
TEST_F(Kernels, TablesOfPositions) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>) -> !xf.real<n, 24> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = f32(sin((t + 32768) / 10000^(2 * c / 24)) if c < 12 else cos((t + 32768) / 10000^((c - 12) / 12)))"() : () -> !xf.real<n, 24>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 24>, <n, 24>
  xf.return %1 : !xf.real<n, 24>
})mlir",
         fewLengths, 2e-7);
}

TEST_F(Kernels, EveryOperationOfADefinition) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = -t div 3 + (t - 5) mod 4 + √(t) + log(t + 1) * log2(t + 2) + exp(-t) + floor(t / 3) - ceil(t / 5) + abs(t - 3) + sign(t - 2) + min(t, c) * max(t, 2) / (1 + clamp(t, 1, 5)) + t^0.5"() : () -> !xf.real<n, 8>
  %1 = xf.tabulate "[t, c] = 1 if t < c and not c == 3 or t != 4 and (t >= 6 or t > 8) or c <= 1 else 0"() : () -> !xf.real<n, 8>
  %2 = xf.multiply %0[n, c], %1[n, c] -> [n, c] : <n, 8>, <n, 8>
  %3 = xf.add %x[n, c], %2[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %3 : !xf.real<n, 8>
})mlir",
         {1, 2, 9, 20});
}

// Integers are exact: 7 mod 7 is 0, and 45 div 3 is 15.
TEST_F(Kernels, IntegersOfADefinition) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 64>, %T: !xf.real<7, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.tabulate "[t, c] = (t + 5) mod 7 + (t * c) div 3 - (c - t) div (-7) * ((c - t) mod (-7)) + %0[(3 * t + 2) div 5 mod 7, c]"(%T) : (!xf.real<7, 64>) -> !xf.real<n, 64>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
})mlir",
         everyLength, 2e-7);
}

// A different definition in each column.
TEST_F(Kernels, RandomDefinitions) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    std::string definition = "0";
    for (unsigned column = 0; column < 8; ++column)
      definition = fmt::format("({}) if c == {} else ({})",
                               test::RandomDefinition(8 * seed + column).text(),
                               column, definition);
    SCOPED_TRACE(definition);
    agrees(fmt::format(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {{anchor = #xf.anchor<rows>}} {{
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %0 = xf.tabulate "[t, c] = {}"(%n) : (!xf.real<>) -> !xf.real<n, 8>
  %1 = xf.add %x[n, c], %0[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %1 : !xf.real<n, 8>
}})mlir",
                       definition),
           {1, 2, 9, 40});
  }
}

TEST_F(Kernels, LengthsAsNumbers) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>, %t: !xf.integer<m>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %m = xf.length %t axis 0 : !xf.integer<m>
  %0 = xf.multiply %x[n, c], %n[] -> [n, c] : <n, 8>, <>
  %1 = xf.tabulate "[t, c] = (t + 1) / %0[] + (c if t == %0[] - 1 else %1[] mod 3) + %1[] div (c + 1)"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<n, 8>
  %2 = xf.add %0[n, c], %1[n, c] -> [n, c] : <n, 8>, <n, 8>
  %3 = xf.tabulate "[] = √(%0[]) * %1[]"(%n, %m) : (!xf.real<>, !xf.real<>) -> !xf.real<>
  %4 = xf.divide %2[n, c], %3[] -> [n, c] : <n, 8>, <>
  xf.return %4 : !xf.real<n, 8>
})mlir",
         fewLengths);
}

} // namespace
