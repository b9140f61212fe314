// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-move-biases | FileCheck %s
// RUN: %transfold-opt %s "-xf-move-biases=keep=output.b_V" | FileCheck %s --check-prefix=KEPT
// Biases move to places where others are added or where they have no effect, and only there.

// A bias of keys shifts rows of scores, and is removed.

xf.stored @b : !xf.real<2, 4> from "b" as <([2:4], [4:1])>
xf.stored @s : !xf.real<2> from "s" as <([2:1])>
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

// A sink is compared with the scores, and is not shifted with them.
// CHECK-LABEL: xf.entry @shift_beside_sink
// CHECK: %[[K:.*]] = xf.add %arg1
// CHECK: xf.contract %arg0[i, n, c], %[[K]][i, m, c]
xf.entry @shift_beside_sink(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %s = xf.weight @s : <2>
  %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c] : <2, m, 4>, <2, 4>
  %S = xf.contract %q[i, n, c], %K[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S sink %s : <2> : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// The bias of queries shifts the scores of each key by a different value.
// CHECK-LABEL: xf.entry @queries
// CHECK: xf.add
xf.entry @queries(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %b = xf.weight @b : <2, 4>
  %Q = xf.add %q[i, n, c], %b[i, c] -> [i, n, c] : <2, n, 4>, <2, 4>
  %S = xf.contract %Q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %P = xf.softmax %S : <2, n, m>
  xf.return %P : !xf.real<2, n, m>
}

// A soft-cap does not preserve a shift.
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

// A norm of the keys depends on their bias.
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

// The added value differs by key.
// CHECK-LABEL: xf.entry @positions
// CHECK: xf.add
xf.entry @positions(%q: !xf.real<n, 4>, %k: !xf.real<9, 4>) -> !xf.real<n, 9> {
  %t = xf.weight @t : <9, 4>
  %K = xf.add %k[m, c], %t[m, c] -> [m, c] : <9, 4>, <9, 4>
  %S = xf.contract %q[n, c], %K[m, c] -> [n, m] : <n, 4>, <9, 4>
  %P = xf.softmax %S : <n, 9>
  xf.return %P : !xf.real<n, 9>
}

// Another operation reads the keys, or the scores.
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

// A rotation rotates the bias of each key by a different angle.
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

// A mask and an additive bias of positions preserve a shift.
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

//===----------------------------------------------------------------------===//
// Into other biases
//===----------------------------------------------------------------------===//

xf.stored @norm.beta : !xf.real<4> from "beta" as <([4:1])>
xf.stored @W : !xf.real<4, 8> from "W" as <([4:8], [8:1])>
xf.stored @c : !xf.real<8> from "c" as <([8:1])>
xf.stored @narrow : !xf.real<4, 2> from "narrow" as <([4:2], [2:1])>

// (x + β) W + c = x W + (β W + c). W is read unchanged.
// CHECK-LABEL: xf.entry @projection
// CHECK: %[[c:.*]] = xf.weight @c
// CHECK: %[[t:.*]] = xf.contract %{{.*}}[k], %[[W:.*]][k, c] -> [c] : <4>, <4, 8>
// CHECK: %[[y:.*]] = xf.contract %arg0[n, k], %[[W]][k, c]
// CHECK: %[[b:.*]] = xf.add %[[c]][c], %[[t]][c] -> [c]
// CHECK: xf.add %[[y]][n, c], %[[b]][c]
// CHECK-NEXT: xf.return
xf.entry @projection(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %beta = xf.weight @norm.beta : <4>
  %c = xf.weight @c : <8>
  %W = xf.weight @W : <4, 8>
  %y = xf.add %x[n, k], %beta[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %u : !xf.real<n, 8>
}

// A product without a bias gets one, if it is narrower.
// CHECK-LABEL: xf.entry @gets_one
// CHECK: xf.contract %arg0[n, k]
// CHECK: xf.add %{{.*}} : <n, 2>, <2>
xf.entry @gets_one(%x: !xf.real<n, 4>) -> !xf.real<n, 2> {
  %beta = xf.weight @norm.beta : <4>
  %W = xf.weight @narrow : <4, 2>
  %y = xf.add %x[n, k], %beta[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 2>
  xf.return %z : !xf.real<n, 2>
}

// A head is wider: twice as many values would be added.
// CHECK-LABEL: xf.entry @head
// CHECK: xf.add %arg0
xf.entry @head(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %beta = xf.weight @norm.beta : <4>
  %W = xf.weight @W : <4, 8>
  %y = xf.add %x[n, k], %beta[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  xf.return %z : !xf.real<n, 8>
}

// One of the readers is not a product: gelu(x + β) is not gelu(x) plus a constant.
// CHECK-LABEL: xf.entry @two_readers
// CHECK: xf.add %arg0
xf.entry @two_readers(%x: !xf.real<n, 4>) -> (!xf.real<n, 8>, !xf.real<n, 4>) {
  %beta = xf.weight @norm.beta : <4>
  %c = xf.weight @c : <8>
  %W = xf.weight @W : <4, 8>
  %y = xf.add %x[n, k], %beta[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  %g = xf.gelu %y : <n, 4>
  xf.return %u, %g : !xf.real<n, 8>, !xf.real<n, 4>
}

// The norm after a residual sum prevents it, and the branch has a bias that
// takes the row over: x + (x W + c).
xf.stored @square : !xf.real<4, 4> from "square" as <([4:4], [4:1])>
xf.stored @c4 : !xf.real<4> from "c4" as <([4:1])>
// CHECK-LABEL: xf.entry @residual
// CHECK: %[[r:.*]] = xf.add %arg0[n, c], %{{.*}}[n, c] -> [n, c] : <n, 4>, <n, 4>
// CHECK-NEXT: xf.standardize %[[r]]
xf.entry @residual(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %beta = xf.weight @norm.beta : <4>
  %W = xf.weight @square : <4, 4>
  %c = xf.weight @c4 : <4>
  %y = xf.add %x[n, k], %beta[k] -> [n, k] : <n, 4>, <4>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 4>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 4>, <4>
  %r = xf.add %y[n, c], %u[n, c] -> [n, c] : <n, 4>, <n, 4>
  %s = xf.standardize %r epsilon <"1/100000"> : <n, 4>
  xf.return %s : !xf.real<n, 4>
}

//===----------------------------------------------------------------------===//
// Of values
//===----------------------------------------------------------------------===//

xf.stored @output.b_V : !xf.real<2, 4> from "b_V" as <([2:4], [4:1])>
xf.stored @output.W : !xf.real<8, 8> from "O" as <([8:8], [8:1])>

// Rows of a softmax sum to 1: P (V + b) = P V + b.
// CHECK-LABEL: xf.entry @values
// CHECK: xf.contract %{{.*}}[i, n, m], %arg1[i, m, c]
// KEPT-LABEL: xf.entry @values
// KEPT: xf.add %arg1
xf.entry @values(%S: !xf.real<2, n, n>, %v: !xf.real<2, n, 4>) -> !xf.real<n, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %u : !xf.real<n, 8>
}

// Queries and keys of different sequences.
// CHECK-LABEL: xf.entry @cross
// CHECK: xf.contract %{{.*}}[i, n, m], %arg1[i, m, c]
xf.entry @cross(%S: !xf.real<2, t, n>, %v: !xf.real<2, n, 4>) -> !xf.real<t, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S : <2, t, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, t, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, t, 4> -> <t, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <t, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <t, 8>, <8>
  xf.return %u : !xf.real<t, 8>
}

// Each query attends at least to itself.
// CHECK-LABEL: xf.entry @window
// CHECK: xf.contract %{{.*}}[i, n, m], %arg1[i, m, c]
xf.entry @window(%S: !xf.real<2, n, n>, %v: !xf.real<2, n, 4>) -> !xf.real<n, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S where [j <= i, i - j <= 3] : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %u : !xf.real<n, 8>
}

// The last query attends to no key, which valid equations never state: nothing is known of its row.
// CHECK-LABEL: xf.entry @future
// CHECK: %[[V:.*]] = xf.add %arg1
// CHECK: xf.contract %{{.*}}[i, n, m], %[[V]][i, m, c]
xf.entry @future(%S: !xf.real<2, n, n>, %v: !xf.real<2, n, 4>) -> !xf.real<n, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S where [i - j <= -1] : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %u : !xf.real<n, 8>
}

// The keys of one sequence say nothing about queries of another sequence.
// CHECK-LABEL: xf.entry @cross_causal
// CHECK: %[[V:.*]] = xf.add %arg1
// CHECK: xf.contract %{{.*}}[i, n, m], %[[V]][i, m, c]
xf.entry @cross_causal(%S: !xf.real<2, t, n>, %v: !xf.real<2, n, 4>) -> !xf.real<t, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S where [j <= i] : <2, t, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, t, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, t, 4> -> <t, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <t, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <t, 8>, <8>
  xf.return %u : !xf.real<t, 8>
}

// A sink takes a part of each row: the rest does not sum to 1.
// CHECK-LABEL: xf.entry @sink_of_softmax
// CHECK: %[[V:.*]] = xf.add %arg1
// CHECK: xf.contract %{{.*}}[i, n, m], %[[V]][i, m, c]
xf.entry @sink_of_softmax(%S: !xf.real<2, n, n>, %v: !xf.real<2, n, 4>) -> !xf.real<n, 8> {
  %b = xf.weight @output.b_V : <2, 4>
  %s = xf.weight @s : <2>
  %W = xf.weight @output.W : <8, 8>
  %c = xf.weight @c : <8>
  %V = xf.add %v[i, m, c], %b[i, c] -> [i, m, c] : <2, n, 4>, <2, 4>
  %P = xf.softmax %S where [j <= i] sink %s : <2> : <2, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 4>
  %h = xf.rearrange %H[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  %z = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %u = xf.add %z[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %u : !xf.real<n, 8>
}

// The same where the sink is the last key.
// CHECK-LABEL: xf.entry @sink
// CHECK: %[[V:.*]] = xf.add %arg2
// CHECK: xf.contract %{{.*}}[n, m], %[[V]][m, c]
xf.entry @sink(%S: !xf.real<n, 6>, %sink: !xf.real<n, 1>, %v: !xf.real<6, 4>) -> !xf.real<n, 2> {
  %b = xf.weight @norm.beta : <4>
  %W = xf.weight @narrow : <4, 2>
  %V = xf.add %v[m, c], %b[c] -> [m, c] : <6, 4>, <4>
  %T = xf.append %S, %sink axis 1 : <n, 6>, <n, 1> -> <n, 7>
  %P = xf.softmax %T : <n, 7>
  %Q = xf.slice %P axis 1 from 0 : <n, 7> -> <n, 6>
  %H = xf.contract %Q[n, m], %V[m, c] -> [n, c] : <n, 6>, <6, 4>
  %z = xf.contract %H[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 2>
  xf.return %z : !xf.real<n, 2>
}

//===----------------------------------------------------------------------===//
// Through loops
//===----------------------------------------------------------------------===//

xf.stored @layers.W[l = 3] : !xf.real<4, 4> from "W{l}" as <([4:4], [4:1])>
xf.stored @layers.c[l = 3] : !xf.real<4> from "c{l}" as <([4:1])>
xf.stored @layers.beta[l = 3] : !xf.real<4> from "beta{l}" as <([4:1])>

// The row that a layer omits is added by the next one, and that of the last
// layer by the reader of the loop: rows are carried along with the stream.
// CHECK-LABEL: xf.entry @behind_norms
// CHECK: %[[loop:.*]]:3 = xf.layers %[[l:.*]] < 3 (%[[x:.*]] = %{{.*}}, %[[s:.*]] = %{{.*}}, %[[t:.*]] = %{{.*}})
// CHECK: %[[beta:.*]] = xf.weight @layers.beta[%[[l]]]
// CHECK: xf.contract %[[s]][k], %{{.*}}[k, c] -> [c]
// CHECK: xf.contract %[[t]][k], %{{.*}}[k, c] -> [c]
// CHECK: %[[n:.*]] = xf.standardize
// CHECK-NEXT: xf.yield %[[n]], %{{.*}}, %[[beta]]
// CHECK: xf.contract %[[loop]]#2[k], %{{.*}}[k, c] -> [c]
xf.entry @behind_norms(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %beta = xf.weight @norm.beta : <4>
  %W = xf.weight @W : <4, 8>
  %c = xf.weight @c : <8>
  %x0 = xf.standardize %x epsilon <"1/100000"> : <n, 4>
  %x1 = xf.add %x0[n, c], %beta[c] -> [n, c] : <n, 4>, <4>
  %y = xf.layers %l < 3 (%u = %x1) : !xf.real<n, 4> {
    %Wl = xf.weight @layers.W[%l] : <4, 4>
    %cl = xf.weight @layers.c[%l] : <4>
    %bl = xf.weight @layers.beta[%l] : <4>
    %z = xf.contract %u[n, k], %Wl[k, c] -> [n, c] : <n, 4>, <4, 4>
    %v = xf.add %z[n, c], %cl[c] -> [n, c] : <n, 4>, <4>
    %r = xf.add %u[n, c], %v[n, c] -> [n, c] : <n, 4>, <n, 4>
    %s = xf.standardize %r epsilon <"1/100000"> : <n, 4>
    %next = xf.add %s[n, c], %bl[c] -> [n, c] : <n, 4>, <4>
    xf.yield %next : !xf.real<n, 4>
  }
  %w = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %logits = xf.add %w[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %logits : !xf.real<n, 8>
}

// A loop that was cut starts at its first layer.
// CHECK-LABEL: xf.entry @last_two
// CHECK: xf.layers 1 <= %[[l:.*]] < 3 (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: xf.weight @layers.beta[%[[l]]]
xf.entry @last_two(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %beta = xf.weight @norm.beta : <4>
  %W = xf.weight @W : <4, 8>
  %c = xf.weight @c : <8>
  %x0 = xf.standardize %x epsilon <"1/100000"> : <n, 4>
  %x1 = xf.add %x0[n, c], %beta[c] -> [n, c] : <n, 4>, <4>
  %y = xf.layers 1 <= %l < 3 (%u = %x1) : !xf.real<n, 4> {
    %Wl = xf.weight @layers.W[%l] : <4, 4>
    %cl = xf.weight @layers.c[%l] : <4>
    %bl = xf.weight @layers.beta[%l] : <4>
    %z = xf.contract %u[n, k], %Wl[k, c] -> [n, c] : <n, 4>, <4, 4>
    %v = xf.add %z[n, c], %cl[c] -> [n, c] : <n, 4>, <4>
    %r = xf.add %u[n, c], %v[n, c] -> [n, c] : <n, 4>, <n, 4>
    %s = xf.standardize %r epsilon <"1/100000"> : <n, 4>
    %next = xf.add %s[n, c], %bl[c] -> [n, c] : <n, 4>, <4>
    xf.yield %next : !xf.real<n, 4>
  }
  %w = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %logits = xf.add %w[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %logits : !xf.real<n, 8>
}

// A row that continues from layer to layer would be different in each.
// CHECK-LABEL: xf.entry @before_norms
// CHECK: xf.layers %{{.*}} < 3 (%{{.*}} = %{{.*}}) :
xf.entry @before_norms(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <4, 8>
  %c = xf.weight @c : <8>
  %y = xf.layers %l < 3 (%u = %x) : !xf.real<n, 4> {
    %Wl = xf.weight @layers.W[%l] : <4, 4>
    %cl = xf.weight @layers.c[%l] : <4>
    %z = xf.contract %u[n, k], %Wl[k, c] -> [n, c] : <n, 4>, <4, 4>
    %v = xf.add %z[n, c], %cl[c] -> [n, c] : <n, 4>, <4>
    xf.yield %v : !xf.real<n, 4>
  }
  %w = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %logits = xf.add %w[n, c], %c[c] -> [n, c] : <n, 8>, <8>
  xf.return %logits : !xf.real<n, 8>
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

xf.stored @number : !xf.real<> from "number" as <()>
// A norm that subtracts the mean is invariant to a constant in all columns; one
// that does not is not.
// CHECK-LABEL: xf.entry @mean
// CHECK-NOT: xf.add
// CHECK: xf.standardize %arg0
xf.entry @mean(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %b = xf.weight @number : <>
  %y = xf.add %x[n, c], %b[] -> [n, c] : <n, 4>, <>
  %z = xf.standardize %y epsilon <"1/100000"> : <n, 4>
  xf.return %z : !xf.real<n, 4>
}
// CHECK-LABEL: xf.entry @no_mean
// CHECK: xf.add %arg0
xf.entry @no_mean(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %b = xf.weight @number : <>
  %y = xf.add %x[n, c], %b[] -> [n, c] : <n, 4>, <>
  %z = xf.unit_rms %y epsilon <"1/100000"> : <n, 4>
  xf.return %z : !xf.real<n, 4>
}

// Rows of a mean: the row is added once.
// CHECK-LABEL: xf.entry @pooled
// CHECK: %[[m:.*]] = xf.mean %arg0 over 0
// CHECK-NEXT: %[[a:.*]] = xf.add %[[m]]
// CHECK-NEXT: xf.unit %[[a]]
xf.entry @pooled(%x: !xf.real<n, 4>) -> !xf.real<4> {
  %b = xf.weight @norm.beta : <4>
  %y = xf.add %x[n, c], %b[c] -> [n, c] : <n, 4>, <4>
  %m = xf.mean %y over 0 : <n, 4>
  %u = xf.unit %m : <4>
  xf.return %u : !xf.real<4>
}

// The ledger: where each bias went, or the reason why it stays.
// A bias that goes to different places is listed with the entries that go to each.
// CHECK: xf.moved "bias" "norm.beta" in ["{{[a-z_]+}}"] to ["c"] readers 2
// CHECK: xf.moved "bias" "norm.beta" in ["head"] to [] readers 2 kept "a result of entry 'head' must keep its value, move-biases.mlir:{{[0-9]+}}"
// CHECK: xf.moved "bias" "norm.beta" in ["{{[a-z_]+}}"] to [] readers 3 kept "'gelu' does not permit it, move-biases.mlir:{{[0-9]+}}"
// CHECK: xf.moved "bias" "output.b_V" in ["{{[a-z_]+}}"] to ["c"] readers 4
// CHECK: xf.moved "bias" "layers.c" {{.*}}to [] readers {{[0-9]+}} kept "'layers' does not permit it
// KEPT: xf.moved "bias" "output.b_V" in [{{.*}}] to [] readers 0 kept "--no-fold"
