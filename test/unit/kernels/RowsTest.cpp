// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms and softmax of rows, operations with scalars, and reads of selected
// rows and columns.

#include "test/unit/kernels/Kernels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::test;

namespace {

TEST_F(Kernels, EmbeddingWithNorm) {
  agrees(R"mlir(
xf.kernel @k(%E: !xf.real<7, 48>, %tokens: !xf.integer<n>, %P: !xf.real<512, 48>,
             %T: !xf.real<7, 48>, %g: !xf.real<48>, %b: !xf.real<48>) -> !xf.real<n, 48>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%tokens] : !xf.real<7, 48>, !xf.integer<n>
  %1 = xf.slice %P axis 0 from 2 : !xf.real<512, 48> -> !xf.real<n, 48>
  %2 = xf.add %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 48>, !xf.real<n, 48>
  %3 = xf.select %T axis 0 at 1 : !xf.real<7, 48>
  %4 = xf.add %2[n, d], %3[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  %5 = xf.standardize %4 epsilon <"1/1000000000000"> : !xf.real<n, 48>
  %6 = xf.multiply %5[n, d], %g[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  %7 = xf.add %6[n, d], %b[d] -> [n, d] : !xf.real<n, 48>, !xf.real<48>
  xf.return %7 : !xf.real<n, 48>
})mlir",
         everyLength);
}

TEST_F(Kernels, NormOfOddRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 37>, %g: !xf.real<37>) -> !xf.real<n, 37>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.standardize %x epsilon <"1/100000"> : !xf.real<n, 37>
  %1 = xf.multiply %0[n, d], %g[d] -> [n, d] : !xf.real<n, 37>, !xf.real<37>
  xf.return %1 : !xf.real<n, 37>
})mlir",
         fewLengths);
}

TEST_F(Kernels, RootMeanSquareNormOfASum) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 384>, %y: !xf.real<n, 384>) -> !xf.real<n, 384>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[n, d], %y[n, d] -> [n, d] : !xf.real<n, 384>, !xf.real<n, 384>
  %1 = xf.unit_rms %0 epsilon <"1/100000"> : !xf.real<n, 384>
  xf.return %1 : !xf.real<n, 384>
})mlir",
         fewLengths);
}

TEST_F(Kernels, SoftmaxOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<n, 50> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x : !xf.real<n, 50>
  xf.return %0 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, SoftmaxOfRowsWithASink) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<3, n, 50>, %s: !xf.real<3>) -> !xf.real<3, n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.softmax %x sink %s : <3> : <3, n, 50>
  xf.return %0 : !xf.real<3, n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, Pointwise) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %y: !xf.real<n, 50>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %one = xf.constant <"1"> : !xf.real<>
  %0 = xf.exp %x : !xf.real<n, 50>
  %1 = xf.sigmoid %y : !xf.real<n, 50>
  %2 = xf.subtract %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %3 = xf.negate %2 : !xf.real<n, 50>
  %4 = xf.power %3 to <"2"> : !xf.real<n, 50>
  %5 = xf.add %4[n, d], %one[] -> [n, d] : !xf.real<n, 50>, !xf.real<>
  %6 = xf.divide %3[n, d], %5[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %7 = xf.scale %6 by <"sqrt(3)"> "√3" : !xf.real<n, 50>
  %8 = xf.tanh %7 : !xf.real<n, 50>
  xf.return %8 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, RotatedRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<3, n, 12>, %cos: !xf.real<n, 3>, %sin: !xf.real<n, 3>) -> !xf.real<3, n, 12>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.slice %x axis 2 from 0 : <3, n, 12> -> <3, n, 6>
  %1 = xf.rotate %0 by %cos, %sin : <3, n, 6>, <n, 3>
  %2 = xf.slice %x axis 2 from 6 : <3, n, 12> -> <3, n, 6>
  %3 = xf.append %1, %2 axis 2 : <3, n, 6>, <3, n, 6> -> <3, n, 12>
  xf.return %3 : !xf.real<3, n, 12>
})mlir",
         fewLengths);
}

TEST_F(Kernels, LargestOfAllRowsAsABound) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %m: !xf.real<>, %y: !xf.real<n, 50>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %a = xf.constant <"7/5"> : !xf.real<>
  %b = xf.constant <"-3/4"> : !xf.real<>
  %0 = xf.exp %x : !xf.real<n, 50>
  %1 = xf.log2 %0 at %a times %b : !xf.real<n, 50>
  %2 = xf.maximum %1[n, d], %m[] -> [n, d] : !xf.real<n, 50>, !xf.real<>
  %3 = xf.maximum %2[n, d], %y[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  xf.return %3 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, LogarithmBesideOne) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<n, 50> attributes {anchor = #xf.anchor<rows>} {
  %a = xf.constant <"7/1000000"> : !xf.real<>
  %b = xf.constant <"-3000000/4"> : !xf.real<>
  %0 = xf.exp %x : !xf.real<n, 50>
  %1 = xf.log1p %0 at %a times %b : !xf.real<n, 50>
  xf.return %1 : !xf.real<n, 50>
})mlir",
         fewLengths);
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<n, 50> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.exp %x : !xf.real<n, 50>
  %1 = xf.log1p %0 : !xf.real<n, 50>
  xf.return %1 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, ReflectedWindows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<21>) -> !xf.real<11, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unfold %x stride 2 pad 4 reflected : <21> -> <11, 8>
  xf.return %0 : !xf.real<11, 8>
})mlir",
         {1});
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<20, 6>) -> !xf.real<10, 3, 6> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unfold %x stride 2 pad 1 reflected : <20, 6> -> <10, 3, 6>
  xf.return %0 : !xf.real<10, 3, 6>
})mlir",
         {1});
}

TEST_F(Kernels, Windows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<20, 6>) -> !xf.real<10, 18> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unfold %x stride 2 pad 1 : <20, 6> -> <10, 3, 6>
  %1 = xf.rearrange %0[t, k, c] -> [t, (k c)] : <10, 3, 6> -> <10, 18>
  xf.return %1 : !xf.real<10, 18>
})mlir",
         {1});
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 6>) -> !xf.real<n, 5, 6> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unfold %x stride 1 pad 2 : <n, 6> -> <n, 5, 6>
  xf.return %0 : !xf.real<n, 5, 6>
})mlir",
         fewLengths);
}

TEST_F(Kernels, TopOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.topk_mask 3 of %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
})mlir",
         fewLengths);
}

// The chosen scores are far below the maximum.
TEST_F(Kernels, SoftmaxAmongTheChosen) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.negate %x : <n, 8>
  %1 = xf.topk_mask 3 of %0 : <n, 8>
  %2 = xf.scale %x by <"1000"> "1000" : <n, 8>
  %3 = xf.softmax %2 among %1 : <n, 8>
  xf.return %3 : !xf.real<n, 8>
})mlir",
         fewLengths, 4e-6);
}

TEST_F(Kernels, RanksOfRows) {
  agrees(R"mlir(
xf.kernel @k(%g: !xf.real<n>) -> !xf.real<n> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.relu %g : <n>
  %1 = xf.running_count %0 : <n>
  xf.return %1 : !xf.real<n>
})mlir",
         everyLength, 0);
}

// All rows are chosen: as many as the buffer has.
TEST_F(Kernels, PickedRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>, %g: !xf.real<n>, %as_many: !xf.real<m>) -> !xf.real<m, 24>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.sigmoid %g : <n>
  %1 = xf.running_count %0 : <n>
  %2 = xf.compress %x by %1 : <n, 24>, <n> -> <m, 24>
  xf.return %2 : !xf.real<m, 24>
})mlir",
         {1, 2, 16, 17, 70, 130}, 0);
}

TEST_F(Kernels, SpreadRows) {
  agrees(R"mlir(
xf.kernel @k(%y: !xf.real<m, 24>, %g: !xf.real<n>) -> !xf.real<n, 24>
    attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.relu %g : <n>
  %1 = xf.running_count %0 : <n>
  %2 = xf.expand %y by %1 : <m, 24>, <n>
  xf.return %2 : !xf.real<n, 24>
})mlir",
         everyLength, 0);
}

TEST_F(Kernels, NumbersThatFoldingSets) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %y: !xf.real<n, 50>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %a = xf.constant <"7/5"> : !xf.real<>
  %b = xf.constant <"-3/4"> : !xf.real<>
  %0 = xf.gelu %x at %a : !xf.real<n, 50>
  %1 = xf.sigmoid %y at %b times %a : !xf.real<n, 50>
  %2 = xf.subtract %0[n, d], %1[n, d] -> [n, d] : !xf.real<n, 50>, !xf.real<n, 50>
  %3 = xf.tanh %2 at %b times %a : !xf.real<n, 50>
  %4 = xf.softmax %3 exp2 %a times %b : !xf.real<n, 50>
  xf.return %4 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, NumbersOfALayer) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>, %s: !xf.real<>) -> !xf.real<n, 50>
    attributes {anchor = #xf.anchor<rows>} {
  %e = xf.multiply %s[], %s[] -> [] : !xf.real<>, !xf.real<>
  %0 = xf.tanh %x at %s times %s : !xf.real<n, 50>
  %1 = xf.standardize %0 epsilon <"1/100000"> per_layer %e times %s : !xf.real<n, 50>
  xf.return %1 : !xf.real<n, 50>
})mlir",
         fewLengths);
}

TEST_F(Kernels, HeadsInAnotherOrder) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 24>) -> !xf.real<n, 24> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.rearrange %x[n, (i c)] -> [i, n, c] : !xf.real<n, 24> -> !xf.real<4, n, 6>
  %1 = xf.rearrange %0[i, n, c] -> [n, (c i)] : !xf.real<4, n, 6> -> !xf.real<n, 24>
  xf.return %1 : !xf.real<n, 24>
})mlir",
         fewLengths);
}

TEST_F(Kernels, FamilyOfRows) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<2, n, 16>) -> !xf.real<6, n, 16> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.unit_rms %x epsilon <"1/100000"> : !xf.real<2, n, 16>
  %1 = xf.repeat %0 axis 0 times 3 : !xf.real<2, n, 16>
  xf.return %1 : !xf.real<6, n, 16>
})mlir",
         fewLengths);
}

TEST_F(Kernels, OneRow) {
  agrees(R"mlir(
xf.kernel @k(%x: !xf.real<n, 50>) -> !xf.real<50> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.select %x axis 0 at -1 : !xf.real<n, 50>
  %1 = xf.unit %0 : !xf.real<50>
  xf.return %1 : !xf.real<50>
})mlir",
         fewLengths);
}

} // namespace
