// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-move-into-scans -split-input-file | FileCheck %s
// What is larger than its operands at each position is computed in the recurrence.

// k' v is made, and the state read, at each position.
// CHECK-LABEL: xf.entry @attend(
// CHECK-SAME: %[[Q:.*]]: !xf.real<4, n, 16>, %[[K:.*]]: !xf.real<4, n, 16>, %[[V:.*]]: !xf.real<4, n, 16>
// CHECK: %[[Y:.*]]:2 = xf.scan (%[[k:.*]] in %[[K]] axis 1, %[[v:.*]] in %[[V]] axis 1, %[[q:.*]] in %[[Q]] axis 1) from (%[[S:.*]] = %{{.*}}) {{.*}} -> (!xf.real<4, n, 16> axis 1) {
// CHECK-NEXT: %[[KV:.*]] = xf.multiply %[[k]][i, a], %[[v]][i, b] -> [i, a, b] : <4, 16>, <4, 16>
// CHECK-NEXT: %[[N:.*]] = xf.add %[[S]][i, a, b], %[[KV]][i, a, b] -> [i, a, b]
// CHECK-NEXT: %[[O:.*]] = xf.contract %[[q]][i, a], %[[N]][i, a, b] -> [i, b] : <4, 16>, <4, 16, 16>
// CHECK-NEXT: xf.yield %[[O]], %[[N]]
// CHECK: xf.return %[[Y]]#0
xf.entry @attend(%Q: !xf.real<4, n, 16>, %K: !xf.real<4, n, 16>, %V: !xf.real<4, n, 16>) -> !xf.real<4, n, 16> {
  %zero = xf.tabulate "[i, a, b] = 0"() : () -> !xf.real<4, 16, 16>
  %KV = xf.multiply %K[i, t, a], %V[i, t, b] -> [i, t, a, b] : <4, n, 16>, <4, n, 16>
  %S, %last = xf.scan (%kv in %KV axis 1) from (%s = %zero) : (!xf.real<4, n, 16, 16>), (!xf.real<4, 16, 16>) -> (!xf.real<4, n, 16, 16> axis 1) {
    %next = xf.add %s[i, a, b], %kv[i, a, b] -> [i, a, b] : <4, 16, 16>, <4, 16, 16>
    xf.yield %next, %next : !xf.real<4, 16, 16>, !xf.real<4, 16, 16>
  }
  %y = xf.contract %Q[i, t, a], %S[i, t, a, b] -> [i, t, b] : <4, n, 16>, <4, n, 16, 16>
  xf.return %y : !xf.real<4, n, 16>
}

// -----

// Elementwise recurrences: nothing is larger, so nothing moves.
// CHECK-LABEL: xf.entry @gated
// CHECK: %[[A:.*]] = xf.sigmoid
// CHECK: xf.scan (%{{.*}} in %[[A]] axis 0, %{{.*}} in %{{.*}} axis 0)
// CHECK: xf.tanh
xf.entry @gated(%a: !xf.real<n, 8>, %x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<8>
  %g = xf.sigmoid %a : <n, 8>
  %h, %last = xf.scan (%d in %g axis 0, %r in %x axis 0) from (%s = %zero) : (!xf.real<n, 8>, !xf.real<n, 8>), (!xf.real<8>) -> (!xf.real<n, 8> axis 0) {
    %o = xf.multiply %d[c], %s[c] -> [c] : <8>, <8>
    %t = xf.add %o[c], %r[c] -> [c] : <8>, <8>
    xf.yield %t, %t : !xf.real<8>, !xf.real<8>
  }
  %y = xf.tanh %h : <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

// A decay for each channel and state: exp(Δ A) is as large as the state, Δ is not. Values that something else reads stay.
// CHECK-LABEL: xf.entry @mamba
// CHECK: %[[KEPT:.*]] = xf.multiply
// CHECK: xf.scan (%[[KV:[a-z0-9]+]] in %[[KEPT]] axis 0, %[[D:[a-z0-9]+]] in %{{.*}} axis 0) from
// CHECK: %[[DA:.*]] = xf.multiply %[[D]][c], %{{.*}}[c, s] -> [c, s] : <8>, <8, 4>
// CHECK: xf.exp %[[DA]] : <8, 4>
xf.entry @mamba(%delta: !xf.real<n, 8>, %A: !xf.real<8, 4>, %B: !xf.real<n, 4>) -> (!xf.real<n, 8>, !xf.real<n, 8, 4>) {
  %zero = xf.tabulate "[c, s] = 0"() : () -> !xf.real<8, 4>
  %DA = xf.multiply %delta[t, c], %A[c, s] -> [t, c, s] : <n, 8>, <8, 4>
  %E = xf.exp %DA : <n, 8, 4>
  %KV = xf.multiply %delta[t, c], %B[t, s] -> [t, c, s] : <n, 8>, <n, 4>
  %H, %last = xf.scan (%kv in %KV axis 0, %e in %E axis 0) from (%h = %zero) : (!xf.real<n, 8, 4>, !xf.real<n, 8, 4>), (!xf.real<8, 4>) -> (!xf.real<n, 8, 4> axis 0) {
    %o = xf.multiply %e[c, s], %h[c, s] -> [c, s] : <8, 4>, <8, 4>
    %next = xf.add %o[c, s], %kv[c, s] -> [c, s] : <8, 4>, <8, 4>
    xf.yield %next, %next : !xf.real<8, 4>, !xf.real<8, 4>
  }
  %y = xf.contract %H[t, c, s], %B[t, s] -> [t, c] : <n, 8, 4>, <n, 4>
  xf.return %y, %KV : !xf.real<n, 8>, !xf.real<n, 8, 4>
}
