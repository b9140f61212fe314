// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-move-biases | FileCheck %s
// A bias inside of a recurrence stays: the states would lack its multiples.
// CHECK: xf.entry @state
// CHECK: xf.scan
// CHECK: xf.add %{{.*}}[c], %{{.*}}[c] -> [c] : <4>, <4>
// CHECK: xf.yield
xf.stored @b : !xf.real<4> from "b" as <([4:1])>
xf.stored @W : !xf.real<4, 4> from "W" as <([4:4], [4:1])>
xf.stored @c : !xf.real<4> from "c" as <([4:1])>
xf.entry @state(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %b = xf.weight @b : <4>
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<4>
  %h, %last = xf.scan (%r in %x axis 0) from (%s = %zero) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %0 = xf.multiply %s[c], %r[c] -> [c] : <4>, <4>
    %1 = xf.add %0[c], %b[c] -> [c] : <4>, <4>
    xf.yield %1, %1 : !xf.real<4>, !xf.real<4>
  }
  %W = xf.weight @W : <4, 4>
  %c = xf.weight @c : <4>
  %p = xf.contract %h[r, k], %W[k, c] -> [r, c] : <n, 4>, <4, 4>
  %y = xf.add %p[r, c], %c[c] -> [r, c] : <n, 4>, <4>
  xf.return %y : !xf.real<n, 4>
}
