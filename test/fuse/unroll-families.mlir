// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-unroll-families -split-input-file | FileCheck %s
// Families that are stored apart are computed apart; others stay as they are.

// CHECK-LABEL: xf.entry @experts
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 4>, %[[G:.*]]: !xf.real<2, n>, %[[A:.*]]: !xf.real<4, 6>, %[[B:.*]]: !xf.real<4, 6>)
// CHECK-NEXT: %[[P0:.*]] = xf.contract %[[X]][n, k], %[[A]][k, c] -> [n, c]
// CHECK-NEXT: %[[P1:.*]] = xf.contract %[[X]][n, k], %[[B]][k, c] -> [n, c]
// CHECK-NEXT: %[[R0:.*]] = xf.relu %[[P0]] : <n, 6>
// CHECK-NEXT: %[[R1:.*]] = xf.relu %[[P1]] : <n, 6>
// CHECK-NEXT: %[[G0:.*]] = xf.select %[[G]] axis 0 at 0
// CHECK-NEXT: %[[Z0:.*]] = xf.multiply %[[G0]][n], %[[R0]][n, c] -> [n, c]
// CHECK-NEXT: %[[G1:.*]] = xf.select %[[G]] axis 0 at 1
// CHECK-NEXT: %[[Z1:.*]] = xf.multiply %[[G1]][n], %[[R1]][n, c] -> [n, c]
// CHECK-NEXT: %[[S:.*]] = xf.add %[[Z0]][a0, a1], %[[Z1]][a0, a1] -> [a0, a1]
// CHECK-NEXT: xf.return %[[S]]
xf.entry @experts(%x: !xf.real<n, 4>, %G: !xf.real<2, n>, %A: !xf.real<4, 6>, %B: !xf.real<4, 6>) -> !xf.real<n, 6> {
  %W = xf.stack %A, %B : (!xf.real<4, 6>, !xf.real<4, 6>) -> !xf.real<2, 4, 6>
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 4>, <2, 4, 6>
  %r = xf.relu %y : <2, n, 6>
  %z = xf.multiply %G[e, n], %r[e, n, c] -> [e, n, c] : <2, n>, <2, n, 6>
  %s = xf.sum %z over 0 : <2, n, 6>
  xf.return %s : !xf.real<n, 6>
}

// -----

// A product that sums over the family adds up.
// CHECK-LABEL: xf.entry @sum
// CHECK: %[[A:.*]] = xf.contract %{{.*}}[n, f], %{{.*}}[f, d] -> [n, d]
// CHECK: %[[B:.*]] = xf.contract %{{.*}}[n, f], %{{.*}}[f, d] -> [n, d]
// CHECK: xf.add %[[A]][a0, a1], %[[B]][a0, a1] -> [a0, a1]
xf.entry @sum(%a: !xf.real<2, n, 6>, %A: !xf.real<6, 4>, %B: !xf.real<6, 4>) -> !xf.real<n, 4> {
  %W = xf.stack %A, %B : (!xf.real<6, 4>, !xf.real<6, 4>) -> !xf.real<2, 6, 4>
  %y = xf.contract %a[e, n, f], %W[e, f, d] -> [n, d] : <2, n, 6>, <2, 6, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// A family in one tensor stays one, and a stack that is asked for too.
// CHECK-LABEL: xf.entry @whole
// CHECK: xf.contract %{{.*}}[n, k], %{{.*}}[e, k, c] -> [e, n, c]
// CHECK: xf.stack
// CHECK: xf.return
xf.entry @whole(%x: !xf.real<n, 4>, %W: !xf.real<2, 4, 6>, %r: !xf.real<4>) -> (!xf.real<2, n, 6>, !xf.real<2, 4>) {
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 4>, <2, 4, 6>
  %s = xf.stack %r, %r : (!xf.real<4>, !xf.real<4>) -> !xf.real<2, 4>
  xf.return %y, %s : !xf.real<2, n, 6>, !xf.real<2, 4>
}
