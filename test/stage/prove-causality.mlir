// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-prove-causality))" -verify-diagnostics -split-input-file
// Operations that mix rows are refused, unless a mask hides all later rows.

xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.stored @P : !xf.real<20, 4> from "P" as <([20:4], [4:1])>

// Scores depend on rows up to the later of query and key, their softmax on rows up
// to the query; the first rows of a table depend on no row.
xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> !xf.real<n, 9> {
  %E = xf.weight @E : <9, 4>
  %P = xf.weight @P : <20, 4>
  %e = xf.gather %E[%tokens] : <9, 4>, <n>
  %p = xf.slice %P axis 0 from 0 : <20, 4> -> <n, 4>
  %x = xf.add %e[r, c], %p[r, c] -> [r, c] : <n, 4>, <n, 4>
  %y = xf.layers %l < 2 (%z = %x) : !xf.real<n, 4> {
    %h = xf.rearrange %z[r, (i c)] -> [i, r, c] : <n, 4> -> <2, n, 2>
    %S = xf.contract %h[i, r, k], %h[i, c, k] -> [i, r, c] : <2, n, 2>, <2, n, 2>
    %A = xf.softmax %S where [0 <= i - j, i - j <= 7] : <2, n, n>
    %o = xf.contract %A[i, r, k], %h[i, k, c] -> [i, r, c] : <2, n, n>, <2, n, 2>
    %u = xf.rearrange %o[i, r, c] -> [r, (i c)] : <2, n, 2> -> <n, 4>
    %v = xf.add %z[r, c], %u[r, c] -> [r, c] : <n, 4>, <n, 4>
    xf.yield %v : !xf.real<n, 4>
  }
  %logits = xf.contract %y[r, k], %E[c, k] -> [r, c] : <n, 4>, <9, 4>
  xf.return %logits : !xf.real<n, 9>
}

// -----

// Zeros stay zero if they are scaled.
xf.entry @scaled(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %S = xf.contract %x[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  %A = xf.softmax %S where [j <= i] : <n, n>
  %B = xf.scale %A by <"1/2"> "1 / 2" : <n, n>
  %o = xf.contract %B[r, k], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %o : !xf.real<n, 4>
}

// -----

// Other functions may map 0 to another value.
xf.entry @exponential(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %S = xf.contract %x[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  %A = xf.softmax %S where [j <= i] : <n, n>
  %B = xf.exp %A : <n, n>
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{token by token}}
  // expected-note @+1 {{softmax(S | M)}}
  %o = xf.contract %B[r, k], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %o : !xf.real<n, 4>
}

// -----

// All rows of another sequence are known: cross-attention needs no mask.
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @cross(%tokens: !xf.integer<t> {xf.causal, xf.name = "tokens"}, %memory: !xf.real<n, 4>) -> !xf.real<t, 4> {
  %E = xf.weight @E : <9, 4>
  %x = xf.gather %E[%tokens] : <9, 4>, <t>
  %S = xf.contract %x[r, k], %memory[c, k] -> [r, c] : <t, 4>, <n, 4>
  %A = xf.softmax %S : <t, n>
  %o = xf.contract %A[r, k], %memory[k, c] -> [r, c] : <t, n>, <n, 4>
  xf.return %o : !xf.real<t, 4>
}

// -----

// An argument without the mark makes no claim.
xf.entry @encode(%x: !xf.real<n, 4>) -> !xf.real<4> {
  %m = xf.mean %x over 0 : <n, 4>
  xf.return %m : !xf.real<4>
}

// -----

xf.entry @ahead(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %S = xf.contract %x[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  // expected-error @+3 {{this mask looks ahead}}
  // expected-note @+2 {{`ahead` generates token by token, so its row i may depend on the first i of `x` only.}}
  // expected-note @+1 {{Let a query see itself and earlier positions only: softmax(S | M) with a mask M of j <= i.}}
  %A = xf.softmax %S where [j <= i + 1] : <n, n>
  %o = xf.contract %A[r, k], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %o : !xf.real<n, 4>
}

// -----

xf.entry @open(%x: !xf.real<n, 4> {xf.causal}) -> !xf.real<n, 4> {
  %S = xf.contract %x[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  // expected-error @+3 {{this softmax looks ahead, without a mask}}
  // expected-note @+2 {{of `its argument` only.}}
  // expected-note @+1 {{softmax(S | M)}}
  %A = xf.softmax %S : <n, n>
  %o = xf.contract %A[r, k], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %o : !xf.real<n, 4>
}

// -----

// The weights of a causal softmax, transposed.
xf.entry @transposed(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %S = xf.contract %x[r, k], %x[c, k] -> [r, c] : <n, 4>, <n, 4>
  %A = xf.softmax %S where [j <= i] : <n, n>
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{token by token}}
  // expected-note @+1 {{softmax(S | M)}}
  %o = xf.contract %A[k, r], %x[k, c] -> [r, c] : <n, n>, <n, 4>
  xf.return %o : !xf.real<n, 4>
}

// -----

xf.entry @mean(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{token by token}}
  // expected-note @+1 {{softmax(S | M)}}
  %m = xf.mean %x over 0 : <n, 4>
  %y = xf.add %x[r, c], %m[c] -> [r, c] : <n, 4>, <4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// The second layer depends on rows that the first one mixed, through carried rows.
xf.entry @carried(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %y:2 = xf.layers %l < 2 (%a = %x, %b = %x) : !xf.real<n, 4>, !xf.real<n, 4> {
    // expected-error @+3 {{this mixes earlier and later rows}}
    // expected-note @+2 {{token by token}}
    // expected-note @+1 {{softmax(S | M)}}
    %m = xf.mean %a over 0 : <n, 4>
    %n = xf.add %a[r, c], %m[c] -> [r, c] : <n, 4>, <4>
    xf.yield %a, %n : !xf.real<n, 4>, !xf.real<n, 4>
  }
  xf.return %y#1 : !xf.real<n, 4>
}

// -----

// Nothing is claimed for unused values.
xf.entry @unused(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<n, 4> {
  %m = xf.mean %x over 0 : <n, 4>
  xf.return %x : !xf.real<n, 4>
}

// -----

// Rows from the second on: row i is row i + 1 of the argument.
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @shifted(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}) -> !xf.real<m, 4> {
  // expected-error @+3 {{this mixes earlier and later rows}}
  // expected-note @+2 {{token by token}}
  // expected-note @+1 {{softmax(S | M)}}
  %y = xf.slice %x axis 0 from 1 : <n, 4> -> <m, 4>
  xf.return %y : !xf.real<m, 4>
}

// -----

// The final length of the text is not known at its beginning; the length of another sequence is.
xf.entry @lengths(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}, %memory: !xf.real<m, 4>) -> (!xf.real<n, 4>, !xf.real<n>) {
  %m = xf.length %memory axis 0 : !xf.real<m, 4>
  %y = xf.multiply %x[r, c], %m[] -> [r, c] : <n, 4>, <>
  // expected-error @+3 {{this depends on the length of the whole sequence}}
  // expected-note @+2 {{`lengths` generates token by token, so its row i may depend on the first i of `x` only.}}
  // expected-note @+1 {{Row i may depend on i + 1 positions}}
  %n = xf.length %x axis 0 : !xf.real<n, 4>
  %t = xf.tabulate "[i] = 1 if i < %0[] - 1 else 0"(%n) : (!xf.real<>) -> !xf.real<n>
  xf.return %y, %t : !xf.real<n, 4>, !xf.real<n>
}

// -----

// Rows of another length than the text's: the text after the row W.
xf.entry @joined(%x: !xf.real<n, 4> {xf.causal, xf.name = "x"}, %W: !xf.real<1, 4>) -> !xf.real<n, 4> {
  // expected-error @+1 {{this has a length that follows from that of the text}}
  %j = xf.append %W, %x axis 0 : <1, 4>, <n, 4> -> <"n + 1", 4>
  %y = xf.slice %j axis 0 from 0 : <"n + 1", 4> -> <n, 4>
  xf.return %y : !xf.real<n, 4>
}
