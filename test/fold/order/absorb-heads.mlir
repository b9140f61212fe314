// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values of a decoder that are products of narrow rows with weights of
// the heads: the rows become the keys of all heads.
// RUN: %transfold-opt %s -split-input-file -xf-reassociate | FileCheck %s
// RUN: %transfold-opt %s -split-input-file -xf-reassociate=keep=W | FileCheck %s --check-prefix=KEPT
// RUN: %transfold-opt %s -split-input-file -xf-reassociate -xf-derive-steps | FileCheck %s --check-prefix=STEPS

// As in DeepSeek-V2: one weight for keys and values, a part of the keys is the
// same for all heads.
// CHECK: xf.stored @W.keys : !xf.real<4, 20, 12> from "W" as <([4:560], [20:1], [12:20])>
// CHECK: xf.stored @W.values : !xf.real<4, 20, 16> from "W" as <([4:560], [20:1], [16:20]) + 240>
// CHECK-NOT: xf.stored @W :
// CHECK-LABEL: xf.entry @latent
// CHECK-DAG: %[[A:.*]] = xf.slice %arg1 axis 2 from 0 : <4, n, 20> -> <4, n, 12>
// CHECK-DAG: %[[B:.*]] = xf.slice %arg1 axis 2 from 12 : <4, n, 20> -> <4, n, 8>
// CHECK-DAG: %[[K:.*]] = xf.weight @W.keys
// CHECK-DAG: %[[T:.*]] = xf.contract %[[A]][i, n, k], %[[K]][i, r, k] -> [i, n, r]
// CHECK-DAG: %[[Q:.*]] = xf.append %[[T]], %[[B]] axis 2 : <4, n, 20>, <4, n, 8> -> <4, n, 28>
// CHECK-DAG: %[[Z:.*]] = xf.append %[[C:.*]], %arg3 axis 1 : <n, 20>, <n, 8> -> <n, 28>
// CHECK: %[[S:.*]] = xf.contract %[[Q]][i, n, k], %[[Z]][m, k] -> [i, n, m]
// CHECK: %[[X:.*]] = xf.scale %[[S]]
// CHECK: %[[P:.*]] = xf.softmax %[[X]] where [j <= i]
// CHECK: %[[V:.*]] = xf.slice %[[Z]] axis 1 from 0 : <n, 28> -> <n, 20>
// CHECK: %[[M:.*]] = xf.contract %[[P]][i, n, m], %[[V]][m, r] -> [i, n, r]
// CHECK: %[[U:.*]] = xf.weight @W.values
// CHECK: xf.contract %[[M]][i, n, r], %[[U]][i, r, k] -> [i, n, k]
// CHECK: xf.moved "order" "W" to ["(Q W') c' for Q (c W)', and (P c) W for P (c W)", "28 values of a token are kept for 144", "absorbed below 47 rows, and above for the same bits"]
// KEPT: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, m, k] -> [i, n, m]
// KEPT: xf.moved "order" "W" to [] readers 0 kept "--no-fold"

// One cache, and the values are columns of what it keeps.
// STEPS: xf.cache @latent.0 : !xf.real<n, 28>
// STEPS-NOT: xf.cache
// STEPS-LABEL: xf.entry @latent.step
// STEPS: %[[Z:.*]] = xf.cache_read @latent.0 : <n.seen, 28>
// STEPS: xf.contract %{{.*}}[i, n, k], %[[Z]][m, k] -> [i, n, m] : <4, n, 28>, <n.seen, 28>
// STEPS: %[[V:.*]] = xf.slice %[[Z]] axis 1 from 0 : <n.seen, 28> -> <n.seen, 20>
// STEPS: xf.contract %{{.*}}[i, n, m], %[[V]][m, r] -> [i, n, r] : <4, n, n.seen>, <n.seen, 20>
xf.stored @W : !xf.real<4, 20, 28> from "W" as <([4:560], [20:1], [28:20])>
xf.entry @latent(%t: !xf.real<n, 20> {xf.causal, xf.name = "t", xf.external = "t"},
                 %Q: !xf.real<4, n, 20> {xf.causal, xf.name = "Q", xf.external = "Q"},
                 %x: !xf.real<n, 8> {xf.causal, xf.name = "x", xf.external = "x"},
                 %R: !xf.real<n, 8> {xf.causal, xf.name = "R", xf.external = "R"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %c = xf.tanh %t : <n, 20>
  %W = xf.weight @W : <4, 20, 28>
  %u = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 28>
  %k = xf.slice %u axis 2 from 0 : <4, n, 28> -> <4, n, 12>
  %r = xf.rearrange %R[(o n), c] -> [o, n, c] : <n, 8> -> <1, n, 8>
  %a = xf.repeat %r axis 0 times 4 : <1, n, 8>
  %K = xf.append %k, %a axis 2 : <4, n, 12>, <4, n, 8> -> <4, n, 20>
  %V = xf.slice %u axis 2 from 12 : <4, n, 28> -> <4, n, 16>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <4, n, 20>, <4, n, 20>
  %s = xf.scale %S by <"1/sqrt(20)"> "1 / √d_k" : <4, n, n>
  %P = xf.softmax %s where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y : !xf.real<n, 64>
}

// -----

// Weights of their own, and no part that heads share: the rows are the keys and
// the values.
// CHECK-LABEL: xf.entry @two_weights
// CHECK: %[[T:.*]] = xf.contract %arg1[i, n, k], %{{.*}}[i, r, k] -> [i, n, r]
// CHECK: xf.contract %[[T]][i, n, k], %arg0[m, k] -> [i, n, m]
// CHECK: %[[M:.*]] = xf.contract %{{.*}}[i, n, m], %arg0[m, r] -> [i, n, r]
// CHECK: xf.contract %[[M]][i, n, r], %{{.*}}[i, r, k] -> [i, n, k]
// CHECK: xf.moved "order" "W, U"
// KEPT: xf.moved "order" "W, U" to [] readers 0 kept "--no-fold"
// STEPS: xf.cache @two_weights.0 : !xf.real<n, 20>
// STEPS-NOT: xf.cache @
// STEPS-LABEL: xf.entry @two_weights.step
xf.stored @W : !xf.real<4, 20, 16> from "W" as <([4:320], [20:16], [16:1])>
xf.stored @U : !xf.real<4, 20, 16> from "U" as <([4:320], [20:16], [16:1])>
xf.entry @two_weights(%c: !xf.real<n, 20> {xf.causal, xf.name = "c", xf.external = "c"},
    %Q: !xf.real<4, n, 16> {xf.causal, xf.name = "Q", xf.external = "Q"})
    -> !xf.real<n, 64> {
  %W = xf.weight @W : <4, 20, 16>
  %U = xf.weight @U : <4, 20, 16>
  %K = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %V = xf.contract %c[n, r], %U[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y : !xf.real<n, 64>
}

// -----

// Rows as wide as all heads: more multiply-adds than reading less is worth.
// CHECK-LABEL: xf.entry @wide
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, m, k] -> [i, n, m]
// CHECK-NOT: xf.moved
// STEPS: xf.cache @wide.1 : !xf.real<4, n, 16>
xf.stored @W : !xf.real<4, 64, 16> from "W" as <([4:1024], [64:16], [16:1])>
xf.stored @U : !xf.real<4, 64, 16> from "U" as <([4:1024], [64:16], [16:1])>
xf.entry @wide(%c: !xf.real<n, 64> {xf.causal, xf.name = "c", xf.external = "c"},
    %Q: !xf.real<4, n, 16> {xf.causal, xf.name = "Q", xf.external = "Q"})
    -> !xf.real<n, 64> {
  %W = xf.weight @W : <4, 64, 16>
  %U = xf.weight @U : <4, 64, 16>
  %K = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 64>, <4, 64, 16>
  %V = xf.contract %c[n, r], %U[i, r, k] -> [i, n, k] : <n, 64>, <4, 64, 16>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y : !xf.real<n, 64>
}

// -----

// Another reader of the keys: they are computed anyway.
// CHECK-LABEL: xf.entry @read_twice
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, m, k] -> [i, n, m]
// CHECK-NOT: xf.moved
xf.stored @W : !xf.real<4, 20, 16> from "W" as <([4:320], [20:16], [16:1])>
xf.stored @U : !xf.real<4, 20, 16> from "U" as <([4:320], [20:16], [16:1])>
xf.entry @read_twice(%c: !xf.real<n, 20> {xf.causal, xf.name = "c", xf.external = "c"},
    %Q: !xf.real<4, n, 16> {xf.causal, xf.name = "Q", xf.external = "Q"})
    -> (!xf.real<n, 64>, !xf.real<n, 64>) {
  %W = xf.weight @W : <4, 20, 16>
  %U = xf.weight @U : <4, 20, 16>
  %K = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %V = xf.contract %c[n, r], %U[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  %z = xf.rearrange %K[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y, %z : !xf.real<n, 64>, !xf.real<n, 64>
}

// -----

// A function between the product and the scores.
// CHECK-LABEL: xf.entry @function
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, m, k] -> [i, n, m]
// CHECK-NOT: xf.moved
xf.stored @W : !xf.real<4, 20, 16> from "W" as <([4:320], [20:16], [16:1])>
xf.stored @U : !xf.real<4, 20, 16> from "U" as <([4:320], [20:16], [16:1])>
xf.entry @function(%c: !xf.real<n, 20> {xf.causal, xf.name = "c", xf.external = "c"},
    %Q: !xf.real<4, n, 16> {xf.causal, xf.name = "Q", xf.external = "Q"})
    -> !xf.real<n, 64> {
  %W = xf.weight @W : <4, 20, 16>
  %U = xf.weight @U : <4, 20, 16>
  %K = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %F = xf.tanh %K : <4, n, 16>
  %V = xf.contract %c[n, r], %U[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %S = xf.contract %Q[i, n, k], %F[i, m, k] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y : !xf.real<n, 64>
}

// -----

// An entry that does not generate keeps nothing: the lengths decide, and the
// order of the equations stays.
// CHECK-LABEL: xf.entry @whole
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, m, k] -> [i, n, m]
// CHECK-NOT: xf.moved
xf.stored @W : !xf.real<4, 20, 16> from "W" as <([4:320], [20:16], [16:1])>
xf.stored @U : !xf.real<4, 20, 16> from "U" as <([4:320], [20:16], [16:1])>
xf.entry @whole(%c: !xf.real<n, 20> {xf.name = "c", xf.external = "c"},
    %Q: !xf.real<4, n, 16> {xf.name = "Q", xf.external = "Q"})
    -> !xf.real<n, 64> {
  %W = xf.weight @W : <4, 20, 16>
  %U = xf.weight @U : <4, 20, 16>
  %K = xf.contract %c[n, r], %W[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %V = xf.contract %c[n, r], %U[i, r, k] -> [i, n, k] : <n, 20>, <4, 20, 16>
  %S = xf.contract %Q[i, n, k], %K[i, m, k] -> [i, n, m] : <4, n, 16>, <4, n, 16>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %H = xf.contract %P[i, n, m], %V[i, m, k] -> [i, n, k] : <4, n, n>, <4, n, 16>
  %y = xf.rearrange %H[i, n, c] -> [n, (i c)] : <4, n, 16> -> <n, 64>
  xf.return %y : !xf.real<n, 64>
}
