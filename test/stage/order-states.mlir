// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-order-states -split-input-file | FileCheck %s
// The axis along which a recurrence is independent becomes the last axis of its states.

// The sum is over b, so entries with different a are independent.
// CHECK-LABEL: xf.entry @reads_columns(
// CHECK: %[[ZERO:.*]] = xf.tabulate "{{.*}}"() : () -> !xf.real<4, 12, 20>
// CHECK: xf.scan ({{.*}}) from (%[[S:.*]] = %[[ZERO]]) {{.*}}(!xf.real<4, 12, 20>) -> (!xf.real<4, n, 20> axis 1) {
// CHECK-NEXT: %[[KV:.*]] = xf.multiply %{{.*}}[i, a], %{{.*}}[i, b] -> [i, a, b] : <4, 20>, <4, 12>
// CHECK-NEXT: %[[N:.*]] = xf.add %[[S]][i, b, a], %[[KV]][i, a, b] -> [i, b, a]
// CHECK-NEXT: xf.contract %[[N]][i, b, a], %{{.*}}[i, b] -> [i, a]
xf.entry @reads_columns(%Q: !xf.real<4, n, 12>, %K: !xf.real<4, n, 20>, %V: !xf.real<4, n, 12>) -> !xf.real<4, n, 20> {
  %zero = xf.tabulate "[i, a, b] = 0"() : () -> !xf.real<4, 20, 12>
  %y, %last = xf.scan (%q in %Q axis 1, %k in %K axis 1, %v in %V axis 1) from (%s = %zero) : (!xf.real<4, n, 12>, !xf.real<4, n, 20>, !xf.real<4, n, 12>), (!xf.real<4, 20, 12>) -> (!xf.real<4, n, 20> axis 1) {
    %kv = xf.multiply %k[i, a], %v[i, b] -> [i, a, b] : <4, 20>, <4, 12>
    %next = xf.add %s[i, a, b], %kv[i, a, b] -> [i, a, b] : <4, 20, 12>, <4, 20, 12>
    %o = xf.contract %next[i, a, b], %q[i, b] -> [i, a] : <4, 20, 12>, <4, 12>
    xf.yield %o, %next : !xf.real<4, 20>, !xf.real<4, 20, 12>
  }
  xf.return %y : !xf.real<4, n, 20>
}

// -----

// The axis is the last one already.
// CHECK-LABEL: xf.entry @reads_rows(
// CHECK: xf.add %{{.*}}[i, a, b], %{{.*}}[i, a, b] -> [i, a, b]
xf.entry @reads_rows(%Q: !xf.real<4, n, 20>, %K: !xf.real<4, n, 20>, %V: !xf.real<4, n, 12>) -> !xf.real<4, n, 12> {
  %zero = xf.tabulate "[i, a, b] = 0"() : () -> !xf.real<4, 20, 12>
  %y, %last = xf.scan (%q in %Q axis 1, %k in %K axis 1, %v in %V axis 1) from (%s = %zero) : (!xf.real<4, n, 20>, !xf.real<4, n, 20>, !xf.real<4, n, 12>), (!xf.real<4, 20, 12>) -> (!xf.real<4, n, 12> axis 1) {
    %kv = xf.multiply %k[i, a], %v[i, b] -> [i, a, b] : <4, 20>, <4, 12>
    %next = xf.add %s[i, a, b], %kv[i, a, b] -> [i, a, b] : <4, 20, 12>, <4, 20, 12>
    %o = xf.contract %q[i, a], %next[i, a, b] -> [i, b] : <4, 20>, <4, 20, 12>
    xf.yield %o, %next : !xf.real<4, 12>, !xf.real<4, 20, 12>
  }
  xf.return %y : !xf.real<4, n, 12>
}

// -----

// The last state is a result of the entry, in its order.
// CHECK-LABEL: xf.entry @returns_state(
// CHECK: xf.add %{{.*}}[a, b], %{{.*}}[a, b] -> [a, b]
xf.entry @returns_state(%Q: !xf.real<n, 12>, %K: !xf.real<n, 20>, %V: !xf.real<n, 12>) -> (!xf.real<n, 20>, !xf.real<20, 12>) {
  %zero = xf.tabulate "[a, b] = 0"() : () -> !xf.real<20, 12>
  %y, %last = xf.scan (%q in %Q axis 0, %k in %K axis 0, %v in %V axis 0) from (%s = %zero) : (!xf.real<n, 12>, !xf.real<n, 20>, !xf.real<n, 12>), (!xf.real<20, 12>) -> (!xf.real<n, 20> axis 0) {
    %kv = xf.multiply %k[a], %v[b] -> [a, b] : <20>, <12>
    %next = xf.add %s[a, b], %kv[a, b] -> [a, b] : <20, 12>, <20, 12>
    %o = xf.contract %next[a, b], %q[b] -> [a] : <20, 12>, <12>
    xf.yield %o, %next : !xf.real<20>, !xf.real<20, 12>
  }
  xf.return %y, %last : !xf.real<n, 20>, !xf.real<20, 12>
}
