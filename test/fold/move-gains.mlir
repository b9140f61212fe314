// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-move-gains | FileCheck %s
// RUN: %transfold-opt %s -split-input-file "-xf-move-gains=keep=γ" | FileCheck %s --check-prefix=KEPT
// Gains move into the matrices that read them, all or none.

// Both readers take the gain over, each in its rows.
// CHECK-LABEL: xf.entry @projections
// CHECK-NOT: xf.multiply %arg0
// CHECK: %[[V:.*]] = xf.multiply %{{.*}}[a0, a1], %{{.*}}[a0] -> [a0, a1] : <4, 8>, <4>
// CHECK: xf.contract %arg0[n, k], %[[V]][k, c]
// CHECK: %[[T:.*]] = xf.multiply %{{.*}}[a0, a1, a2], %{{.*}}[a1] -> [a0, a1, a2] : <2, 4, 2>, <4>
// CHECK: xf.contract %arg0[n, k], %[[T]][i, k, c]
// CHECK: xf.moved "gain" "norm.gamma" to ["W", "H"] readers 2
// KEPT-LABEL: xf.entry @projections
// KEPT: xf.multiply %arg0
// KEPT: xf.moved "gain" "norm.gamma" to [] readers 0 kept "--no-fold"
xf.stored @norm.gamma : !xf.real<4> from "gamma" as <([4:1])>
xf.stored @W : !xf.real<4, 8> from "W" as <([4:8], [8:1])>
xf.stored @H : !xf.real<2, 4, 2> from "H" as <([2:8], [4:2], [2:1])>
xf.entry @projections(%x: !xf.real<n, 4>) -> (!xf.real<n, 8>, !xf.real<2, n, 2>) {
  %g = xf.weight @norm.gamma : <4>
  %W = xf.weight @W : <4, 8>
  %H = xf.weight @H : <2, 4, 2>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %u = xf.contract %y[n, k], %H[i, k, c] -> [i, n, c] : <n, 4>, <2, 4, 2>
  xf.return %z, %u : !xf.real<n, 8>, !xf.real<2, n, 2>
}

// -----

// Past values: any vector of columns between the values and the output.
// CHECK-LABEL: xf.entry @values
// CHECK: xf.contract %{{.*}}[n, m], %arg1[m, c]
// CHECK: xf.moved "gain" "g" to ["O"] readers 2
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.stored @O : !xf.real<4, 8> from "O" as <([4:8], [8:1])>
xf.entry @values(%S: !xf.real<n, n>, %v: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %g = xf.weight @g : <4>
  %O = xf.weight @O : <4, 8>
  %V = xf.multiply %v[m, c], %g[c] -> [m, c] : <n, 4>, <4>
  %P = xf.softmax %S where [j <= i] : <n, n>
  %H = xf.contract %P[n, m], %V[m, c] -> [n, c] : <n, n>, <n, 4>
  %z = xf.contract %H[n, k], %O[k, c] -> [n, c] : <n, 4>, <4, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// If a residual stream also read it, the stream would have to be multiplied, or
// its other addend divided, which a gain of 0 forbids.
// CHECK-LABEL: xf.entry @stream
// CHECK: xf.multiply %arg0
// CHECK: kept "'add' does not permit it, {{.*}}"
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.stored @W : !xf.real<4, 4> from "W" as <([4:4], [4:1])>
xf.entry @stream(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %g = xf.weight @g : <4>
  %W = xf.weight @W : <4, 4>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 4>
  %u = xf.add %y[n, c], %z[n, c] -> [n, c] : <n, 4>, <n, 4>
  xf.return %u : !xf.real<n, 4>
}

// -----

// Queries and keys of a norm: a rotation mixes pairs of columns.
// CHECK-LABEL: xf.entry @rotary
// CHECK: xf.multiply %arg0
// CHECK: kept "'rotate' does not permit it, {{.*}}"
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.entry @rotary(%x: !xf.real<n, 4>, %c: !xf.real<n, 2>, %s: !xf.real<n, 2>) -> !xf.real<n, 4> {
  %g = xf.weight @g : <4>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %r = xf.rotate %y by %c, %s : <n, 4>, <n, 2>
  xf.return %r : !xf.real<n, 4>
}

// -----

// A 16-bit matrix is not rounded again.
// CHECK-LABEL: xf.entry @narrow
// CHECK: xf.multiply %arg0
// CHECK: kept "W has bf16, and would be rounded again"
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.stored @W : !xf.real<4, 8> from "W" in bf16 as <([4:8], [8:1])>
xf.entry @narrow(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %g = xf.weight @g : <4>
  %W = xf.weight @W : <4, 8>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// A head that shares the table of the embedding: otherwise a second table would
// be stored.
// CHECK-LABEL: xf.entry @embed
// CHECK-LABEL: xf.entry @head
// CHECK: xf.multiply %arg0
// CHECK: xf.moved "gain" "g" to [] readers 1 kept "E would be stored twice"
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.stored @E : !xf.real<9, 4> from "E" as <([9:4], [4:1])>
xf.entry @embed(%t: !xf.integer<n>) -> !xf.real<n, 4> {
  %E = xf.weight @E : <9, 4>
  %e = xf.gather %E[%t] : <9, 4>, <n>
  xf.return %e : !xf.real<n, 4>
}
xf.entry @head(%x: !xf.real<n, 4>) -> !xf.real<n, 9> {
  %g = xf.weight @g : <4>
  %E = xf.weight @E : <9, 4>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %E[c, k] -> [n, c] : <n, 4>, <9, 4>
  xf.return %z : !xf.real<n, 9>
}

// -----

// If the other factor lacks the gain, too, the product is not the square of one factor.
// CHECK-LABEL: xf.entry @square
// CHECK: xf.multiply %arg0
// CHECK: kept "'multiply' does not permit it, {{.*}}"
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.entry @square(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %g = xf.weight @g : <4>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 4>, <4>
  %z = xf.multiply %y[n, k], %y[n, k] -> [n, k] : <n, 4>, <n, 4>
  xf.return %z : !xf.real<n, 4>
}
