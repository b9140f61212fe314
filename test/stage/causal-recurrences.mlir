// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-prove-causality))" -verify-diagnostics -split-input-file
// Recurrences read earlier rows only, unless something else of them depends on later ones.

xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  %d = xf.delay %x axis 0 by 2 : <n, 4> -> <n, 4>
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<4>
  %h, %last = xf.scan (%r in %d axis 0) from (%s = %zero) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %t = xf.add %s[c], %r[c] -> [c] : <4>, <4>
    xf.yield %t, %t : !xf.real<4>, !xf.real<4>
  }
  xf.return %h : !xf.real<n, 4>
}

// -----

// The state after the last position.
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @last(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<4>
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{generates token by token}}
  // expected-note @+1 {{Let a query see}}
  %h, %end = xf.scan (%r in %x axis 0) from (%s = %zero) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %t = xf.add %s[c], %r[c] -> [c] : <4>, <4>
    xf.yield %t, %t : !xf.real<4>, !xf.real<4>
  }
  %y = xf.add %h[r, c], %end[c] -> [r, c] : <n, 4>, <4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// A state that begins with a value of all rows.
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @begins(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{generates token by token}}
  // expected-note @+1 {{Let a query see}}
  %mean = xf.mean %x over 0 : <n, 4>
  %h, %end = xf.scan (%r in %x axis 0) from (%s = %mean) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %t = xf.add %s[c], %r[c] -> [c] : <4>, <4>
    xf.yield %t, %t : !xf.real<4>, !xf.real<4>
  }
  xf.return %h : !xf.real<n, 4>
}

// -----

// From the last position to the first.
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @backwards(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <n>
  %zero = xf.tabulate "[c] = 0"() : () -> !xf.real<4>
  // expected-error @+3 {{this recurrence begins at the last position}}
  // expected-note @+2 {{generates token by token}}
  // expected-note @+1 {{A state that is read at the position before, S[t - 1], begins at the first one.}}
  %h, %last = xf.scan (%r in %x axis 0) from (%s = %zero) : (!xf.real<n, 4>), (!xf.real<4>) -> (!xf.real<n, 4> axis 0) {
    %t = xf.add %s[c], %r[c] -> [c] : <4>, <4>
    xf.yield %t, %t : !xf.real<4>, !xf.real<4>
  } {backwards}
  xf.return %h : !xf.real<n, 4>
}
