// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-derive-steps -xf-bound-windows -split-input-file | FileCheck %s
// Steps of recurrences keep the last state, steps of x[t - 3] the last four rows.

// CHECK: xf.cache @decode.0[l = 2] : !xf.real<n, 4> window 4
// CHECK: xf.cache @decode.1[l = 2] : !xf.real<4> state
// CHECK: xf.entry @decode.step({{.*}}%[[FIRST:[a-z0-9]+]]: !xf.integer<>
// CHECK: xf.layers %[[L:.*]] < 2 (%[[X:.*]] = %{{.*}})
// CHECK: xf.cache_write %[[X]] in @decode.0[%[[L]]] from %[[FIRST]] : <n, 4>
// CHECK: %[[ALL:.*]] = xf.cache_read @decode.0[%[[L]]] : <n.seen, 4>
// CHECK: xf.delay %[[ALL]] axis 0 by 1 from %[[FIRST]] : <n.seen, 4> -> <n, 4>
// CHECK: xf.delay %[[ALL]] axis 0 by 3 from %[[FIRST]] : <n.seen, 4> -> <n, 4>
// The state begins anew where the step begins the sequence.
// CHECK: %[[OLD:.*]] = xf.cache_read @decode.1[%[[L]]] : <4>
// CHECK: %[[S:.*]] = xf.tabulate "[a] = 0 if %1[] == 0 else %0[a]"(%[[OLD]], %[[FIRST]])
// CHECK: %[[Y:.*]]:2 = xf.scan (%{{.*}} in %{{.*}} axis 0) from (%{{.*}} = %[[S]])
// CHECK: xf.cache_write %[[Y]]#1 in @decode.1[%[[L]]] : <4>
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %e = xf.gather %E[%tokens] : <9, 4>, <n>
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<4>
  %y = xf.layers %l < 2 (%x = %e) : !xf.real<n, 4> {
    %1 = xf.delay %x axis 0 by 1 : <n, 4> -> <n, 4>
    %3 = xf.delay %x axis 0 by 3 : <n, 4> -> <n, 4>
    %u = xf.add %1[r, c], %3[r, c] -> [r, c] : <n, 4>, <n, 4>
    %h, %last = xf.scan (%r in %u axis 0) from (%s = %zero) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
      %t = xf.add %s[c], %r[c] -> [c] : <4>, <4>
      xf.yield %t, %t : !xf.real<4>, !xf.real<4>
    }
    xf.yield %h : !xf.real<n, 4>
  }
  xf.return %y : !xf.real<n, 4>
}

// -----

// A state that begins with another value than a number is read.
// CHECK: xf.entry @decode.step(
// CHECK: %[[B:.*]] = xf.weight @b : <4>
// CHECK: xf.tabulate "[a] = %2[a] if %1[] == 0 else %0[a]"(%{{.*}}, %{{.*}}, %[[B]])
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.stored @b : !xf.real<4> from "b" as <([4:1])>
xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  %b = xf.weight @b : <4>
  %h, %last = xf.scan (%r in %x axis 0) from (%s = %b) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %t = xf.maximum %s[c], %r[c] -> [c] : <4>, <4>
    xf.yield %t, %t : !xf.real<4>, !xf.real<4>
  }
  xf.return %h : !xf.real<n, 4>
}

// -----

// A reader of all rows, beside one of earlier rows: no window.
// CHECK: xf.cache @decode.0 : !xf.real<n, 4>{{$}}
// CHECK: xf.entry @decode.step(
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  %1 = xf.delay %x axis 0 by 1 : <n, 4> -> <n, 4>
  %S = xf.contract %1[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  %P = xf.softmax %S where [j <= i] : <n, n>
  %y = xf.contract %P[r, k], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %y : !xf.real<n, 4>
}
