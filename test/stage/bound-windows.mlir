// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-bound-windows -split-input-file | FileCheck %s
// A cache keeps a window if all of its readers have a mask that proves one.

// Keys that several query heads share and to whose scores a bias is added; values likewise.
// CHECK: xf.cache @K[l = 2] : !xf.real<1, n, 4> window 5
// CHECK: xf.cache @V[l = 2] : !xf.real<1, n, 4> window 5
xf.cache @K[l = 2] : !xf.real<1, n, 4>
xf.cache @V[l = 2] : !xf.real<1, n, 4>
xf.entry @decode.step(%x: !xf.real<n, 4> {xf.causal}, %q: !xf.real<2, n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<2, n, 4> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %y = xf.layers %l < 2 (%h = %q) : !xf.real<2, n, 4> {
    %K1 = xf.cache_read @K[%l] : <1, n.seen, 4>
    %K = xf.repeat %K1 axis 0 times 2 : <1, n.seen, 4>
    %V1 = xf.cache_read @V[%l] : <1, n.seen, 4>
    %V = xf.repeat %V1 axis 0 times 2 : <1, n.seen, 4>
    %S = xf.contract %h[i, r, k], %K[i, c, k] -> [i, r, c] : <2, n, 4>, <2, n.seen, 4>
    %s = xf.scale %S by <"1/2"> "1 / √d_k" : <2, n, n.seen>
    %b = xf.tabulate "[a, i, j] = (j - i) * 2^(-a)"() from %first : () -> !xf.real<2, n, n.seen>
    %t = xf.add %s[a, i, j], %b[a, i, j] -> [a, i, j] : <2, n, n.seen>, <2, n, n.seen>
    %P = xf.softmax %t from %first where [j <= i, i - j <= 4] : <2, n, n.seen>
    %z = xf.contract %P[i, r, k], %V[i, k, c] -> [i, r, c] : <2, n, n.seen>, <2, n.seen, 4>
    xf.yield %z : !xf.real<2, n, 4>
  }
  xf.return %y : !xf.real<2, n, 4>
}

// -----

// Other forms of a window: a constant distance, and comparisons that bound it together.
// CHECK: xf.cache @K : !xf.real<n, 4> window 1
// CHECK: xf.cache @V : !xf.real<n, 4> window 4
xf.cache @K : !xf.real<n, 4>
xf.cache @V : !xf.real<n, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 4> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @K : <n.seen, 4>
  %V = xf.cache_read @V : <n.seen, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P = xf.softmax %S from %first where [i == j] : <n, n.seen>
  %T = xf.tabulate "[i, j] = j - i"() from %first : () -> !xf.real<n, n.seen>
  %R = xf.softmax %T from %first where [j <= i, 2 * i - 2 * j <= 7] : <n, n.seen>
  %y = xf.contract %R[r, k], %V[k, c] -> [r, c] : <n, n.seen>, <n.seen, 4>
  %T2 = xf.contract %P[r, k], %T[r, k] -> [r] : <n, n.seen>, <n, n.seen>
  %z = xf.multiply %y[r, c], %T2[r] -> [r, c] : <n, 4>, <n>
  xf.return %z : !xf.real<n, 4>
}

// -----

// No bound: a causal mask alone; keys from a fixed position on; every second
// key; a window that no sequence fills.
// CHECK: xf.cache @causal : !xf.real<n, 4>{{$}}
// CHECK: xf.cache @fixed : !xf.real<n, 4>{{$}}
// CHECK: xf.cache @slope : !xf.real<n, 4>{{$}}
// CHECK: xf.cache @wide : !xf.real<n, 4>{{$}}
xf.cache @causal : !xf.real<n, 4>
xf.cache @fixed : !xf.real<n, 4>
xf.cache @slope : !xf.real<n, 4>
xf.cache @wide : !xf.real<n, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> (!xf.real<n, n.seen>, !xf.real<n, n.seen>, !xf.real<n, n.seen>, !xf.real<n, n.seen>) attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @causal : <n.seen, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P = xf.softmax %S from %first where [j <= i] : <n, n.seen>
  %K2 = xf.cache_read @fixed : <n.seen, 4>
  %S2 = xf.contract %q[r, k], %K2[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P2 = xf.softmax %S2 from %first where [j <= i, 3 <= j] : <n, n.seen>
  %K3 = xf.cache_read @slope : <n.seen, 4>
  %S3 = xf.contract %q[r, k], %K3[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P3 = xf.softmax %S3 from %first where [j <= i, i <= 2 * j] : <n, n.seen>
  %K4 = xf.cache_read @wide : <n.seen, 4>
  %S4 = xf.contract %q[r, k], %K4[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P4 = xf.softmax %S4 from %first where [j <= i, i - j <= 4294967295] : <n, n.seen>
  xf.return %P, %P2, %P3, %P4 : !xf.real<n, n.seen>, !xf.real<n, n.seen>, !xf.real<n, n.seen>, !xf.real<n, n.seen>
}

// -----

// A bias that only makes distant keys unlikely hides no key: no window.
// CHECK: xf.cache @K : !xf.real<n, 4>{{$}}
xf.cache @K : !xf.real<n, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, n.seen> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @K : <n.seen, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %b = xf.tabulate "[i, j] = 0 if i - j < 5 or j < 2 else -10000"() from %first : () -> !xf.real<n, n.seen>
  %T = xf.add %S[i, j], %b[i, j] -> [i, j] : <n, n.seen>, <n, n.seen>
  %P = xf.softmax %T from %first where [j <= i] : <n, n.seen>
  xf.return %P : !xf.real<n, n.seen>
}

// -----

// Of several readers the one with the largest window counts, also if they share
// the scores; if one has no bound, there is no window.
// CHECK: xf.cache @both : !xf.real<n, 4> window 9
// CHECK: xf.cache @shared : !xf.real<n, 4> window 3
// CHECK: xf.cache @one : !xf.real<n, 4>{{$}}
xf.cache @both : !xf.real<n, 4>
xf.cache @shared : !xf.real<n, 4>
xf.cache @one : !xf.real<n, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 4> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @both : <n.seen, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P = xf.softmax %S from %first where [j <= i, i - j <= 4] : <n, n.seen>
  %again = xf.cache_read @both : <n.seen, 4>
  %T = xf.contract %q[r, k], %again[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %R = xf.softmax %T from %first where [j <= i, i - j <= 8] : <n, n.seen>
  %K2 = xf.cache_read @shared : <n.seen, 4>
  %S2 = xf.contract %q[r, k], %K2[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P2 = xf.softmax %S2 from %first where [j <= i, i - j <= 1] : <n, n.seen>
  %R2 = xf.softmax %S2 from %first where [j <= i, i - j <= 2] : <n, n.seen>
  %V = xf.cache_read @one : <n.seen, 4>
  %x = xf.contract %P[r, k], %V[k, c] -> [r, c] : <n, n.seen>, <n.seen, 4>
  %D = xf.contract %q[r, k], %V[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %E = xf.softmax %D from %first where [j <= i] : <n, n.seen>
  %y = xf.contract %E[r, k], %V[k, c] -> [r, c] : <n, n.seen>, <n.seen, 4>
  %z = xf.add %x[a, b], %y[a, b] -> [a, b] : <n, 4>, <n, 4>
  xf.return %z : !xf.real<n, 4>
}

// -----

// Cases that are not analyzed, and therefore not bounded: a norm over all keys before the mask; a
// product with values that are not 0 for hidden keys; a softmax whose positions are not those of
// the sequence; values that are changed first, since 0 / 0 would not become 0.
// CHECK-NOT: window
xf.cache @norm : !xf.real<n, 4>
xf.cache @exponential : !xf.real<n, 4>
xf.cache @position : !xf.real<n, 4>
xf.cache @changed : !xf.real<n, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> (!xf.real<n, n.seen>, !xf.real<n, 4>, !xf.real<n, n.seen>, !xf.real<n, 4>) attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @norm : <n.seen, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %U = xf.unit %S : <n, n.seen>
  %P = xf.softmax %U from %first where [j <= i, i - j <= 4] : <n, n.seen>
  %E = xf.exp %P : <n, n.seen>
  %V = xf.cache_read @exponential : <n.seen, 4>
  %y = xf.contract %E[r, k], %V[k, c] -> [r, c] : <n, n.seen>, <n.seen, 4>
  %K2 = xf.cache_read @position : <n.seen, 4>
  %S2 = xf.contract %q[r, k], %K2[c, k] -> [r, c] : <n, 4>, <n.seen, 4>
  %P2 = xf.softmax %S2 where [j <= i, i - j <= 4] : <n, n.seen>
  %V2 = xf.cache_read @changed : <n.seen, 4>
  %N = xf.unit_rms %V2 epsilon <"0"> : <n.seen, 4>
  %z = xf.contract %P[r, k], %N[k, c] -> [r, c] : <n, n.seen>, <n.seen, 4>
  xf.return %P, %y, %P2, %z : !xf.real<n, n.seen>, !xf.real<n, 4>, !xf.real<n, n.seen>, !xf.real<n, 4>
}

// -----

// Values computed once per request are kept whole.
// CHECK: xf.cache @memory : !xf.real<m, 4>{{$}}
xf.cache @memory : !xf.real<m, 4>
xf.entry @decode.step(%q: !xf.real<n, 4>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, m> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %K = xf.cache_read @memory : <m, 4>
  %S = xf.contract %q[r, k], %K[c, k] -> [r, c] : <n, 4>, <m, 4>
  %P = xf.softmax %S : <n, m>
  xf.return %P : !xf.real<n, m>
}

// -----

// Values that are columns of the keys: the window of the mask holds for both.
// CHECK: xf.cache @both : !xf.real<n, 6> window 5
xf.cache @both : !xf.real<n, 6>
xf.entry @decode.step(%x: !xf.real<n, 6> {xf.causal}, %q: !xf.real<2, n, 6>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<2, n, 4> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %Z = xf.cache_read @both : <n.seen, 6>
  %S = xf.contract %q[i, r, k], %Z[c, k] -> [i, r, c] : <2, n, 6>, <n.seen, 6>
  %P = xf.softmax %S from %first where [j <= i, i - j <= 4] : <2, n, n.seen>
  %V = xf.slice %Z axis 1 from 0 : <n.seen, 6> -> <n.seen, 4>
  %y = xf.contract %P[i, r, k], %V[k, c] -> [i, r, c] : <2, n, n.seen>, <n.seen, 4>
  xf.return %y : !xf.real<2, n, 4>
}
