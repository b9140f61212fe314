// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-fold-gauges -split-input-file | FileCheck %s
// Constants pass through states: a state has one gauge before, between and after positions.

// q (Σ k' v) / 3: the factor of the values is divided out of the next weight.
// CHECK: xf.stored @V {{.*}} times [<"7/3">]
// CHECK-LABEL: xf.entry @linear
// CHECK-NOT: xf.scale
// CHECK: xf.return
xf.stored @V : !xf.real<8, 8> from "V" as <([8:8], [8:1])>
xf.entry @linear(%x: !xf.real<n, 8>, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %V = xf.weight @V : <8, 8>
  %v = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.scale %v by <"7"> "7" : <n, 8>
  %kv = xf.multiply %x[t, a], %s[t, b] -> [t, a, b] : <n, 8>, <n, 8>
  %zero = xf.tabulate "[a, b] = 0"() : () -> !xf.real<8, 8>
  %S, %last = xf.scan (%r in %kv axis 0) from (%t = %zero) : (!xf.real<n, 8, 8>), (!xf.real<8, 8>) -> (!xf.real<n, 8, 8> axis 0) {
    %next = xf.add %t[a, b], %r[a, b] -> [a, b] : <8, 8>, <8, 8>
    xf.yield %next, %next : !xf.real<8, 8>, !xf.real<8, 8>
  }
  %o = xf.contract %q[t, a], %S[t, a, b] -> [t, b] : <n, 8>, <n, 8, 8>
  %y = xf.scale %o by <"1/3"> "1 / 3" : <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

// A state that passes through tanh has no multiples: the factor before it stays.
// CHECK-LABEL: xf.entry @elman
// CHECK: xf.scan
// CHECK: %[[S:.*]] = xf.scale %{{.*}} by <"7"> "7"
// CHECK: xf.tanh
xf.stored @V : !xf.real<8, 8> from "V" as <([8:8], [8:1])>
xf.entry @elman(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<8>
  %h, %last = xf.scan (%r in %x axis 0) from (%t = %zero) : (!xf.real<n, 8>), (!xf.real<8>) -> (!xf.real<n, 8> axis 0) {
    %0 = xf.add %t[c], %r[c] -> [c] : <8>, <8>
    %1 = xf.scale %0 by <"7"> "7" : <8>
    %2 = xf.clamp %1 from <"-1"> to <"1"> : <8>
    %next = xf.tanh %2 : <8>
    xf.yield %next, %next : !xf.real<8>, !xf.real<8>
  }
  xf.return %h : !xf.real<n, 8>
}

// -----

// So has a state that begins with a number other than zero.
// CHECK-LABEL: xf.entry @begins
// CHECK: xf.scan
// CHECK-NOT: xf.scale
// CHECK: xf.return
// CHECK-NOT: times
xf.entry @begins(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %one = xf.tabulate "[c] = 1"() : () -> !xf.real<8>
  %h, %last = xf.scan (%r in %x axis 0) from (%t = %one) : (!xf.real<n, 8>), (!xf.real<8>) -> (!xf.real<n, 8> axis 0) {
    %next = xf.add %t[c], %r[c] -> [c] : <8>, <8>
    xf.yield %next, %next : !xf.real<8>, !xf.real<8>
  }
  xf.return %h : !xf.real<n, 8>
}
