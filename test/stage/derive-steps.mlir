// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-derive-steps -split-input-file | FileCheck %s
// The caches of decode steps, and their reads.

// The keys and values of each layer are cached before they are repeated for the
// query heads that share them; a repeated cache would be twice as large.
// CHECK: xf.cache @decode.0[l = 2] : !xf.real<2, n, 4>
// CHECK: xf.cache @decode.1[l = 2] : !xf.real<2, n, 4>
// CHECK-LABEL: xf.entry @decode(
// The requested rows are gathered before the head.
// CHECK-LABEL: xf.entry @decode.step(
// CHECK-SAME: %[[TOKENS:.*]]: !xf.integer<n> {xf.causal, xf.name = "tokens"}
// CHECK-SAME: %[[WANTED:.*]]: !xf.integer<n.wanted>
// CHECK-SAME: %[[FIRST:.*]]: !xf.integer<>
// CHECK-SAME: -> (!xf.real<n.wanted, 16> {xf.name = "logits"})
// CHECK-SAME: limits = {n = 64 : i64, n.seen = 64 : i64}, stage = #xf.stage<step>, stage_of = @decode
// CHECK: %[[COS:.*]] = xf.tabulate "[t, c] = cos(t / 10^c)"() from %[[FIRST]] : () -> !xf.real<n, 2>
// CHECK: %[[P:.*]] = xf.slice %{{.*}} axis 0 from 2 behind %[[FIRST]] : <66, 8> -> <n, 8>
// CHECK: xf.layers %[[L:.*]] < 2
// CHECK: %[[K:.*]] = xf.rotate %{{.*}} by %[[COS]]
// CHECK-NEXT: xf.cache_write %[[K]] in @decode.0[%[[L]]] from %[[FIRST]] : <2, n, 4>
// CHECK-NEXT: %[[ALL:.*]] = xf.cache_read @decode.0[%[[L]]] : <2, n.seen, 4>
// CHECK-NEXT: %[[KEYS:.*]] = xf.repeat %[[ALL]] axis 0 times 2 : <2, n.seen, 4>
// CHECK: xf.cache_write %{{.*}} in @decode.1[%[[L]]] from %[[FIRST]]
// CHECK: %[[S:.*]] = xf.contract %{{.*}}[i, r, k], %[[KEYS]][i, c, k] -> [i, r, c] : <4, n, 4>, <4, n.seen, 4>
// CHECK: %[[B:.*]] = xf.tabulate "[a, i, j] = (j - i) * 2^(-a)"() from %[[FIRST]] : () -> !xf.real<4, n, n.seen>
// CHECK: xf.softmax %{{.*}} from %[[FIRST]] where [j <= i] : <4, n, n.seen>
// CHECK: }
// CHECK-NEXT: %[[LAST:.*]] = xf.gather %{{.*}}[%[[WANTED]]] : <n, 8>, <n.wanted>
// CHECK-NEXT: xf.unit_rms %[[LAST]] epsilon <"0"> : <n.wanted, 8>
// CHECK: xf.return %{{.*}} : !xf.real<n.wanted, 16>
module {
  xf.stored @E : !xf.real<16, 8> from "E" as <([16:8], [8:1])>
  xf.stored @P : !xf.real<66, 8> from "P" as <([66:8], [8:1])>
  xf.stored @Q[l = 2] : !xf.real<4, 8, 4> from "{l}.Q" as <([4:32], [8:4], [4:1])>
  xf.stored @K[l = 2] : !xf.real<2, 8, 4> from "{l}.K" as <([2:32], [8:4], [4:1])>
  xf.stored @V[l = 2] : !xf.real<2, 8, 4> from "{l}.V" as <([2:32], [8:4], [4:1])>
  xf.stored @O[l = 2] : !xf.real<16, 8> from "{l}.O" as <([16:8], [8:1])>
  xf.stored @U : !xf.real<8, 16> from "U" as <([8:16], [16:1])>
  xf.entry @decode(%tokens: !xf.integer<n> {xf.causal, xf.name = "tokens"}) -> (!xf.real<n, 16> {xf.name = "logits"}) attributes {limits = {n = 64 : i64}} {
    %cos = xf.tabulate "[t, c] = cos(t / 10^c)"() : () -> !xf.real<n, 2>
    %sin = xf.tabulate "[t, c] = sin(t / 10^c)"() : () -> !xf.real<n, 2>
    %E = xf.weight @E : <16, 8>
    %e = xf.gather %E[%tokens] : <16, 8>, <n>
    %P = xf.weight @P : <66, 8>
    %p = xf.slice %P axis 0 from 2 : <66, 8> -> <n, 8>
    %x0 = xf.add %e[a, b], %p[a, b] -> [a, b] : <n, 8>, <n, 8>
    %x = xf.layers %l < 2 (%h = %x0) : !xf.real<n, 8> {
      %WQ = xf.weight @Q[%l] : <4, 8, 4>
      %q = xf.contract %h[r, k], %WQ[i, k, c] -> [i, r, c] : <n, 8>, <4, 8, 4>
      %WK = xf.weight @K[%l] : <2, 8, 4>
      %k = xf.contract %h[r, k], %WK[i, k, c] -> [i, r, c] : <n, 8>, <2, 8, 4>
      %kr = xf.rotate %k by %cos, %sin : <2, n, 4>, <n, 2>
      %WV = xf.weight @V[%l] : <2, 8, 4>
      %v = xf.contract %h[r, k], %WV[i, k, c] -> [i, r, c] : <n, 8>, <2, 8, 4>
      %ks = xf.repeat %kr axis 0 times 2 : <2, n, 4>
      %s = xf.contract %q[i, r, k], %ks[i, c, k] -> [i, r, c] : <4, n, 4>, <4, n, 4>
      %b = xf.tabulate "[a, i, j] = (j - i) * 2^(-a)"() : () -> !xf.real<4, n, n>
      %sb = xf.add %s[a, i, j], %b[a, i, j] -> [a, i, j] : <4, n, n>, <4, n, n>
      %w = xf.softmax %sb where [j <= i] : <4, n, n>
      %vs = xf.repeat %v axis 0 times 2 : <2, n, 4>
      %y = xf.contract %w[i, r, k], %vs[i, k, c] -> [i, r, c] : <4, n, n>, <4, n, 4>
      %j = xf.rearrange %y[i, r, c] -> [r, (i c)] : <4, n, 4> -> <n, 16>
      %WO = xf.weight @O[%l] : <16, 8>
      %o = xf.contract %j[r, k], %WO[k, c] -> [r, c] : <n, 16>, <16, 8>
      %z = xf.add %h[a, b], %o[a, b] -> [a, b] : <n, 8>, <n, 8>
      xf.yield %z : !xf.real<n, 8>
    }
    %y = xf.unit_rms %x epsilon <"0"> : <n, 8>
    %U = xf.weight @U : <8, 16>
    %logits = xf.contract %y[r, k], %U[k, c] -> [r, c] : <n, 8>, <8, 16>
    xf.return %logits : !xf.real<n, 16>
  }
}

// -----

// Values that do not depend on the sequence are computed once, by a separate
// entry: here the keys of a memory, for each layer. For the values, the memory
// itself is cached, which is smaller than anything computed from it.
// CHECK: xf.cache @decode.0[l = 2] : !xf.real<m, 8>
// CHECK: xf.cache @decode.1 : !xf.real<m, 8>
// CHECK-LABEL: xf.entry @decode(
// CHECK-LABEL: xf.entry @decode.begin(
// CHECK-SAME: %[[M:.*]]: !xf.real<m, 8>
// CHECK-SAME: stage = #xf.stage<begin>, stage_of = @decode
// CHECK-NEXT: xf.cache_write %[[M]] in @decode.1 : <m, 8>
// CHECK-NEXT: xf.layers %[[L:.*]] < 2 () {
// CHECK-NEXT: %[[W:.*]] = xf.weight @K[%[[L]]]
// CHECK-NEXT: %[[K:.*]] = xf.contract %[[M]][r, k], %[[W]][k, c]
// CHECK-NEXT: xf.cache_write %[[K]] in @decode.0[%[[L]]] : <m, 8>
// CHECK-NEXT: xf.yield
// CHECK: xf.return
// CHECK-LABEL: xf.entry @decode.step(
// CHECK: xf.layers %[[L:.*]] < 2
// CHECK-NEXT: %[[K:.*]] = xf.cache_read @decode.0[%[[L]]] : <m, 8>
// CHECK-NEXT: %[[S:.*]] = xf.contract %{{.*}}[r, k], %[[K]][c, k] -> [r, c] : <n, 8>, <m, 8>
// CHECK-NEXT: xf.softmax %[[S]] : <n, m>
// CHECK-NEXT: xf.cache_read @decode.1 : <m, 8>
module {
  xf.stored @E : !xf.real<16, 8> from "E" as <([16:8], [8:1])>
  xf.stored @K[l = 2] : !xf.real<8, 8> from "{l}.K" as <([8:8], [8:1])>
  xf.entry @decode(%tokens: !xf.integer<n> {xf.causal}, %memory: !xf.real<m, 8>) -> !xf.real<n, 8> {
    %E = xf.weight @E : <16, 8>
    %e = xf.gather %E[%tokens] : <16, 8>, <n>
    %x = xf.layers %l < 2 (%h = %e) : !xf.real<n, 8> {
      %W = xf.weight @K[%l] : <8, 8>
      %k = xf.contract %memory[r, k], %W[k, c] -> [r, c] : <m, 8>, <8, 8>
      %s = xf.contract %h[r, k], %k[c, k] -> [r, c] : <n, 8>, <m, 8>
      %w = xf.softmax %s : <n, m>
      %y = xf.contract %w[r, k], %memory[k, c] -> [r, c] : <n, m>, <m, 8>
      xf.yield %y : !xf.real<n, 8>
    }
    xf.return %x : !xf.real<n, 8>
  }
}

// -----

// Without caches: all rows are independent.
// CHECK-NOT: xf.cache
// CHECK-LABEL: xf.entry @decode.step(
// CHECK-NOT: xf.cache_write
module {
  xf.stored @E : !xf.real<16, 8> from "E" as <([16:8], [8:1])>
  xf.entry @decode(%tokens: !xf.integer<n> {xf.causal}) -> !xf.real<n, 8> {
    %E = xf.weight @E : <16, 8>
    %e = xf.gather %E[%tokens] : <16, 8>, <n>
    xf.return %e : !xf.real<n, 8>
  }
}

// -----

// With a constant number of keys, the keys that a row sees depend on its position: rows
// are gathered after the softmax. If the mask does not depend on rows, before it.
// CHECK-LABEL: xf.entry @decode.step(
// CHECK: %[[E:.*]] = xf.gather %{{.*}}[%{{.*}}] : <n, 8>, <n.wanted>
// CHECK: %[[P:.*]] = xf.softmax %{{.*}} from %{{.*}} where [j <= i] : <n, 8>
// CHECK: xf.gather %[[P]][%{{.*}}] : <n, 8>, <n.wanted>
// CHECK: xf.softmax %[[E]] from %{{.*}} where [j <= 3] : <n.wanted, 8>
module {
  xf.stored @E : !xf.real<16, 8> from "E" as <([16:8], [8:1])>
  xf.entry @decode(%tokens: !xf.integer<n> {xf.causal}) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
    %E = xf.weight @E : <16, 8>
    %e = xf.gather %E[%tokens] : <16, 8>, <n>
    %p = xf.softmax %e where [j <= i] : <n, 8>
    %q = xf.softmax %e where [j <= 3] : <n, 8>
    xf.return %p, %q : !xf.real<n, 8>, !xf.real<n, 8>
  }
}

// -----

// Each position has a matrix of its own, whose rows are not positions: the mask's rows begin at 0 in a step, too.
// CHECK-LABEL: xf.entry @decode.step(
// CHECK: xf.softmax %{{[^ ]*}} where [j <= i] : <n, 8, 8>
module {
  xf.stored @E : !xf.real<16, 8> from "E" as <([16:8], [8:1])>
  xf.entry @decode(%tokens: !xf.integer<n> {xf.causal}) -> !xf.real<n, 8> {
    %E = xf.weight @E : <16, 8>
    %e = xf.gather %E[%tokens] : <16, 8>, <n>
    %s = xf.multiply %e[t, i], %e[t, j] -> [t, i, j] : !xf.real<n, 8>, !xf.real<n, 8>
    %p = xf.softmax %s where [j <= i] : <n, 8, 8>
    %o = xf.contract %e[t, i], %p[t, i, j] -> [t, j] : <n, 8>, <n, 8, 8>
    xf.return %o : !xf.real<n, 8>
  }
}
