// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-unroll-families -split-input-file | FileCheck %s
// Sums over experts for which rows choose some are unrolled expert by expert,
// regardless of their tensors; other sums are unchanged.

// CHECK-LABEL: xf.entry @experts
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 4>, %[[Z:.*]]: !xf.real<n, 2>, %[[A:.*]]: !xf.real<4, 6>, %[[B:.*]]: !xf.real<4, 6>)
// CHECK: %[[G:.*]] = xf.softmax
// CHECK: %[[H:.*]] = xf.rearrange %[[G]]
// CHECK-NEXT: %[[G0:.*]] = xf.select %[[H]] axis 0 at 0
// CHECK-NEXT: %[[P0:.*]] = xf.contract %[[X]][n, k], %[[A]][k, c] -> [n, c]
// CHECK-NEXT: %[[R0:.*]] = xf.relu %[[P0]] : <n, 6>
// CHECK-NEXT: %[[Z0:.*]] = xf.multiply %[[G0]][n], %[[R0]][n, c] -> [n, c]
// CHECK-NEXT: %[[G1:.*]] = xf.select %[[H]] axis 0 at 1
// CHECK-NEXT: %[[P1:.*]] = xf.contract %[[X]][n, k], %[[B]][k, c] -> [n, c]
// CHECK-NEXT: %[[R1:.*]] = xf.relu %[[P1]] : <n, 6>
// CHECK-NEXT: %[[Z1:.*]] = xf.multiply %[[G1]][n], %[[R1]][n, c] -> [n, c]
// CHECK-NEXT: %[[S:.*]] = xf.add %[[Z0]][a0, a1], %[[Z1]][a0, a1] -> [a0, a1]
// CHECK-NEXT: xf.return %[[S]]
xf.entry @experts(%x: !xf.real<n, 4>, %Z: !xf.real<n, 2>, %A: !xf.real<4, 6>, %B: !xf.real<4, 6>) -> !xf.real<n, 6> {
  %T = xf.topk_mask 1 of %Z : <n, 2>
  %S = xf.softmax %Z among %T : <n, 2>
  %G = xf.rearrange %S[n, e] -> [e, n] : <n, 2> -> <2, n>
  %W = xf.stack %A, %B : (!xf.real<4, 6>, !xf.real<4, 6>) -> !xf.real<2, 4, 6>
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 4>, <2, 4, 6>
  %r = xf.relu %y : <2, n, 6>
  %z = xf.multiply %G[e, n], %r[e, n, c] -> [e, n, c] : <2, n>, <2, n, 6>
  %s = xf.sum %z over 0 : <2, n, 6>
  xf.return %s : !xf.real<n, 6>
}

// -----

// Members of one tensor are views of it; so are columns of an expert's result.
xf.stored @W : !xf.real<2, 4, 6> from "W" as <([2:24], [4:6], [6:1])>
xf.stored @V : !xf.real<2, 3, 4> from "V.{i}" each <["i"], [2], 12> as <([2:12], [3:4], [4:1])>
// CHECK-DAG: xf.stored @W.part : !xf.real<4, 6> from "W" as <([4:6], [6:1])>
// CHECK-DAG: xf.stored @W.part2 : !xf.real<4, 6> from "W" as <([4:6], [6:1]) + 24>
// CHECK-DAG: xf.stored @V.0 : !xf.real<3, 4> from "V.0" as <([3:4], [4:1])>
// CHECK-DAG: xf.stored @V.1 : !xf.real<3, 4> from "V.1" as <([3:4], [4:1])>
// CHECK-LABEL: xf.entry @views
// CHECK-COUNT-2: xf.slice
// CHECK-NOT: <2, n, 6>
// CHECK: xf.return
xf.entry @views(%x: !xf.real<n, 4>, %Z: !xf.real<n, 2>) -> !xf.real<n, 4> {
  %T = xf.topk_mask 1 of %Z : <n, 2>
  %c = xf.scale %T by <"5/2"> "2.5" : <n, 2>
  %Y = xf.multiply %c[n, e], %Z[n, e] -> [n, e] : <n, 2>, <n, 2>
  %G = xf.rearrange %Y[n, e] -> [e, n] : <n, 2> -> <2, n>
  %W = xf.weight @W : <2, 4, 6>
  %V = xf.weight @V : <2, 3, 4>
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 4>, <2, 4, 6>
  %h = xf.slice %y axis 2 from 3 : <2, n, 6> -> <2, n, 3>
  %o = xf.contract %h[e, n, k], %V[e, k, c] -> [e, n, c] : <2, n, 3>, <2, 3, 4>
  %z = xf.multiply %G[e, n], %o[e, n, c] -> [e, n, c] : <2, n>, <2, n, 4>
  %s = xf.sum %z over 0 : <2, n, 4>
  xf.return %s : !xf.real<n, 4>
}

// -----

// There is no choice: the sum over sigmoids is not unrolled.
// CHECK-LABEL: xf.entry @all
// CHECK: xf.sum
xf.entry @all(%x: !xf.real<n, 4>, %G: !xf.real<2, n>, %W: !xf.real<2, 4, 6>) -> !xf.real<n, 6> {
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 4>, <2, 4, 6>
  %z = xf.multiply %G[e, n], %y[e, n, c] -> [e, n, c] : <2, n>, <2, n, 6>
  %s = xf.sum %z over 0 : <2, n, 6>
  xf.return %s : !xf.real<n, 6>
}

// -----

// Rows that are not chosen are not zero: their exponential is 1.
// CHECK-LABEL: xf.entry @one
// CHECK: xf.sum
xf.entry @one(%x: !xf.real<2, n, 4>, %Z: !xf.real<n, 2>) -> !xf.real<n, 4> {
  %T = xf.topk_mask 1 of %Z : <n, 2>
  %E = xf.exp %T : <n, 2>
  %z = xf.multiply %E[n, e], %x[e, n, c] -> [e, n, c] : <n, 2>, <2, n, 4>
  %s = xf.sum %z over 0 : <2, n, 4>
  xf.return %s : !xf.real<n, 4>
}
