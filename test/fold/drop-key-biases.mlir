// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-drop-key-biases | FileCheck %s
// A bias of keys goes where it shifts rows of scores, and only there.

xf.stored @b : !xf.real<2, 4> from "b" as <([2:4], [4:1])>
xf.stored @t : !xf.real<9, 4> from "t" as <([9:4], [4:1])>

// CHECK-LABEL: xf.entry @shift
// CHECK-NOT: xf.add
// CHECK: xf.contract %arg0[i, n, c], %arg1[i, m, c]
xf.entry @shift(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %s = xf.scale %S by <"1/2"> "1 / √d_k" : <2, n, m>
  %P = xf.softmax %s : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// Two heads share the keys of one.
// CHECK-LABEL: xf.entry @shared
// CHECK-NOT: xf.add
// CHECK: %[[K:.*]] = xf.repeat %arg1 axis 0 times 2
// CHECK: xf.contract %arg0[i, n, c], %[[K]][i, m, c]
xf.entry @shared(%q: !xf.real<4, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<4, n, m> {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[a, m, c], %b[a, c] -> [a, m, c] : <2, m, 4>, <2, 4>
  %R = xf.repeat %K axis 0 times 2 : <2, m, 4>
  %S = xf.contract %q[i, n, c], %R[i, m, c] -> [i, n, m] : <4, n, 4>, <4, m, 4>
  %P = xf.softmax %S : <4, n, m>
  xf.return %P : !xf.real<4, n, m>
}
// Not where somebody else reads what is shared.
// CHECK-LABEL: xf.entry @read_shared
// CHECK: xf.add
xf.entry @read_shared(%q: !xf.real<4, n, 4>, %k: !xf.real<2, m, 4>) -> (!xf.real<4, n, m>, !xf.real<4, m, 4>) {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[a, m, c], %b[a, c] -> [a, m, c] : <2, m, 4>, <2, 4>
  %R = xf.repeat %K axis 0 times 2 : <2, m, 4>
  %S = xf.contract %q[i, n, c], %R[i, m, c] -> [i, n, m] : <4, n, 4>, <4, m, 4>
  %P = xf.softmax %S : <4, n, m>
  xf.return %P, %R : !xf.real<4, n, m>, !xf.real<4, m, 4>
}

// The bias of queries shifts the scores of each key by another number.
// CHECK-LABEL: xf.entry @queries
// CHECK: xf.add
xf.entry @queries(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %Q = xf.add %q[i, n, c], %b[i, c] -> [i, n, c] : <2, n, 4>, <2, 4>
  %S = xf.contract %Q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// A soft-cap does not keep a shift.
// CHECK-LABEL: xf.entry @cap
// CHECK: xf.add
xf.entry @cap(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %T = xf.tanh %S : <2, n, m>
  %P = xf.softmax %T : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// A norm of the keys sees their bias.
// CHECK-LABEL: xf.entry @norm
// CHECK: xf.add
xf.entry @norm(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %N = xf.unit_rms %K epsilon <"1e-6"> : <2, m, 4>
  %S = xf.contract %q[i, n, c], %N[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// What is added differs by key.
// CHECK-LABEL: xf.entry @positions
// CHECK: xf.add
xf.entry @positions(%q: !xf.real<n, 4>, %k: !xf.real<9, 4>) -> !xf.real<n, 9> {
  %t = xf.weight @t : <9, 4>
  %K = xf.add %k[m, c], %t[m, c] -> [m, c] : <9, 4>, <9, 4>
  %S = xf.contract %q[n, c], %K[m, c] -> [n, m] : <n, 4>, <9, 4>
  %P = xf.softmax %S : <n, 9>
  xf.return %P : !xf.real<n, 9>
}

// Somebody else reads the keys, or the scores.
// CHECK-LABEL: xf.entry @read
// CHECK: xf.add
xf.entry @read(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> (!xf.real<2, n, m>, !xf.real<2, m, 4>) {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S : <2, n, m>
  xf.return %P, %K : !xf.real<2, n, m>, !xf.real<2, m, 4>
}
// CHECK-LABEL: xf.entry @seen
// CHECK: xf.add
xf.entry @seen(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> (!xf.real<2, n, m>, !xf.real<2, n, m>) {
  %b = xf.weight @b : <2, 4>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S : <2, n, m>
  xf.return %P, %S : !xf.real<2, n, m>, !xf.real<2, n, m>
}

// A rotation turns the bias of each key by another angle.
// CHECK-LABEL: xf.entry @rotary
// CHECK: xf.add
xf.entry @rotary(%q: !xf.real<2, n, 4>, %k: !xf.real<2, n, 4>) -> !xf.real<2, n, n> {
  %b = xf.weight @b : <2, 4>
  %cos = xf.tabulate "[t, c] = cos(t / 10^c)"() : () -> !xf.real<n, 2>
  %sin = xf.tabulate "[t, c] = sin(t / 10^c)"() : () -> !xf.real<n, 2>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %R = xf.rotate %K by %cos, %sin : <2, n, 4>, <n, 2>
  %S = xf.contract %q[i, n, c], %R[i, m, c] -> [i, n, m] : <2, n, 4>, <2, n, 4>
  %P = xf.softmax %S where [j <= i] : <2, n, n>
  xf.return %P : !xf.real<2, n, n>
}

// A mask and an additive bias of positions leave a shift a shift.
// CHECK-LABEL: xf.entry @masked
// CHECK-NOT: xf.add %arg1
xf.entry @masked(%q: !xf.real<2, n, 4>, %k: !xf.real<2, n, 4>) -> !xf.real<2, n, n> {
  %b = xf.weight @b : <2, 4>
  %A = xf.tabulate "[a, i, j] = j - i"() : () -> !xf.real<2, n, n>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, n, 4>
  %T = xf.add %S[i, n, m], %A[i, n, m] -> [i, n, m] : <2, n, n>, <2, n, n>
  %P = xf.softmax %T where [j <= i] : <2, n, n>
  xf.return %P : !xf.real<2, n, n>
}
