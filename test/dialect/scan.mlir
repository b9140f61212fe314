// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// RUN: %transfold-opt %s -emit-bytecode | %transfold-opt | FileCheck %s
// Recurrences and earlier rows.

// CHECK: xf.cache @decode.0[l = 2] : !xf.real<4, 16, 16> state
xf.cache @decode.0[l = 2] : !xf.real<4, 16, 16> state

// CHECK-LABEL: xf.entry @attend
xf.entry @attend(%K: !xf.real<4, n, 16>, %V: !xf.real<4, n, 16>, %a: !xf.real<n, 4>, %S0: !xf.real<4, 16, 16>) -> (!xf.real<4, n, 16>, !xf.real<4, 16, 16>) {
  // CHECK: %[[Y:.*]]:2 = xf.scan (%[[k:.*]] in %{{.*}} axis 1, %[[v:.*]] in %{{.*}} axis 1, %[[a:.*]] in %{{.*}} axis 0) from (%[[S:.*]] = %{{.*}}) : (!xf.real<4, n, 16>, !xf.real<4, n, 16>, !xf.real<n, 4>), (!xf.real<4, 16, 16>) -> (!xf.real<4, n, 16> axis 1) {
  %y, %last = xf.scan (%k in %K axis 1, %v in %V axis 1, %d in %a axis 0) from (%S = %S0) : (!xf.real<4, n, 16>, !xf.real<4, n, 16>, !xf.real<n, 4>), (!xf.real<4, 16, 16>) -> (!xf.real<4, n, 16> axis 1) {
    // CHECK: xf.multiply %[[k]][i, a], %[[v]][i, b] -> [i, a, b] : <4, 16>, <4, 16>
    %kv = xf.multiply %k[i, a], %v[i, b] -> [i, a, b] : <4, 16>, <4, 16>
    // CHECK: xf.multiply %[[a]][i], %[[S]][i, a, b] -> [i, a, b]
    %old = xf.multiply %d[i], %S[i, a, b] -> [i, a, b] : <4>, <4, 16, 16>
    %next = xf.add %old[i, a, b], %kv[i, a, b] -> [i, a, b] : <4, 16, 16>, <4, 16, 16>
    %o = xf.contract %k[i, a], %next[i, a, b] -> [i, b] : <4, 16>, <4, 16, 16>
    // CHECK: xf.yield %{{.*}}, %{{.*}} : !xf.real<4, 16>, !xf.real<4, 16, 16>
    xf.yield %o, %next : !xf.real<4, 16>, !xf.real<4, 16, 16>
  }
  xf.return %y, %last : !xf.real<4, n, 16>, !xf.real<4, 16, 16>
}

// Several states, none of which is a result of positions.
// CHECK-LABEL: xf.entry @sums
xf.entry @sums(%x: !xf.real<n, 8>, %s0: !xf.real<8>, %m0: !xf.real<8>) -> (!xf.real<8>, !xf.real<8>) {
  // CHECK: xf.scan (%{{.*}} in %{{.*}} axis 0) from (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (!xf.real<n, 8>), (!xf.real<8>, !xf.real<8>) -> () {
  %s, %m = xf.scan (%r in %x axis 0) from (%t = %s0, %u = %m0) : (!xf.real<n, 8>), (!xf.real<8>, !xf.real<8>) -> () {
    %0 = xf.add %t[c], %r[c] -> [c] : <8>, <8>
    %1 = xf.maximum %u[c], %r[c] -> [c] : <8>, <8>
    xf.yield %0, %1 : !xf.real<8>, !xf.real<8>
  }
  xf.return %s, %m : !xf.real<8>, !xf.real<8>
}

// CHECK-LABEL: xf.entry @delays
xf.entry @delays(%x: !xf.real<n, 8>, %all: !xf.real<n.seen, 8>, %first: !xf.integer<>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  // CHECK: xf.delay %{{.*}} axis 0 by 1 : <n, 8> -> <n, 8>
  %0 = xf.delay %x axis 0 by 1 : <n, 8> -> <n, 8>
  // CHECK: xf.delay %{{.*}} axis 0 by 3 from %{{.*}} : <n.seen, 8> -> <n, 8>
  %1 = xf.delay %all axis 0 by 3 from %first : <n.seen, 8> -> <n, 8>
  xf.return %0, %1 : !xf.real<n, 8>, !xf.real<n, 8>
}
