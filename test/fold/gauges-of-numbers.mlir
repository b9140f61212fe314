// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-fold-gauges | FileCheck %s
// Where a constant must not move: into a value bounded by a clamp, and into
// tables of token ids. Random specs found the second case: the 2 of a key was
// divided out of a table of tokens, although ids have no multiples.

xf.stored @W : !xf.real<8, 8> from "W" as <([8:8], [8:1])>
xf.stored @V : !xf.real<8, 8> from "V" as <([8:8], [8:1])>

// CHECK: xf.stored @W {{.*}} times [<"3">]
// CHECK: xf.stored @V {{.*}} times [<"2">]
// CHECK: xf.entry @clamped
// CHECK: %[[S:.*]] = xf.scale %{{.*}} by <"3"> "3"
// CHECK: xf.clamp %[[S]] from <"-1"> to <"1">
xf.entry @clamped(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %s = xf.scale %x by <"3"> "3" : <n, 8>
  %y = xf.clamp %s from <"-1"> to <"1"> : <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// |3 x W| = |x (3 W)|.
// CHECK: xf.entry @size
// CHECK-NOT: xf.scale
// CHECK: xf.abs
xf.entry @size(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <8, 8>
  %p = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.scale %p by <"3"> "3" : <n, 8>
  %y = xf.abs %s : <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// CHECK: xf.entry @tokens
// CHECK: xf.tabulate "[i, j] = %0[i]"
// CHECK-NOT: xf.constant <"2"
// CHECK: xf.return
xf.entry @tokens(%x: !xf.real<n, 8>, %t: !xf.integer<n>) -> !xf.real<n, n> {
  %W = xf.weight @V : <8, 8>
  %p = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %k = xf.scale %p by <"2"> "2" : <n, 8>
  %S = xf.contract %x[r, k], %k[c, k] -> [r, c] : <n, 8>, <n, 8>
  %b = xf.tabulate "[i, j] = %0[i]"(%t) : (!xf.integer<n>) -> !xf.real<n, n>
  %a = xf.add %S[r, c], %b[r, c] -> [r, c] : <n, n>, <n, n>
  xf.return %a : !xf.real<n, n>
}
