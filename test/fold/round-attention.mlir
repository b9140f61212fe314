// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-round-products -canonicalize -cse | FileCheck %s
// RUN: %transfold-opt %s -split-input-file -xf-round-products=attention=false \
// RUN:   | FileCheck %s --check-prefix=EXACT
// If activations of weights are rounded, so are the operands of the two
// products around a softmax, before they are moved or repeated.

xf.stored @W : !xf.real<8, 8> from "W" in bf16 as <([8:8], [8:1])>

// CHECK-LABEL: xf.entry @attention
// CHECK-DAG: %[[Q:.*]] = xf.round %{{.*}} to bf16 : <2, n, 4>
// CHECK-DAG: %[[K:.*]] = xf.round %arg1 to bf16 : <n, 1, 4>
// CHECK-DAG: %[[KR:.*]] = xf.rearrange %[[K]]
// CHECK-DAG: %[[KS:.*]] = xf.repeat %[[KR]]
// CHECK: %[[S:.*]] = xf.contract %[[Q]][i, n, k], %[[KS]][i, m, k]
// CHECK: %[[T:.*]] = xf.tanh %[[S]]
// CHECK: %[[P:.*]] = xf.softmax %[[T]] rounded bf16
// CHECK: xf.contract %[[P]][i, n, m], %[[KS]][i, m, c]
// EXACT-LABEL: xf.entry @attention
// EXACT: xf.round %arg0 to bf16
// EXACT-NOT: {{xf.round|rounded}}
xf.entry @attention(%x: !xf.real<n, 8>, %k: !xf.real<n, 1, 4>) -> !xf.real<2, n, 4> {
  %W = xf.weight @W : !xf.real<8, 8>
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %1 = xf.rearrange %0[n, (i c)] -> [i, n, c] : <n, 8> -> <2, n, 4>
  %2 = xf.exp %1 : <2, n, 4>
  %3 = xf.rearrange %k[n, i, c] -> [i, n, c] : <n, 1, 4> -> <1, n, 4>
  %4 = xf.repeat %3 axis 0 times 2 : <1, n, 4>
  %5 = xf.contract %2[i, n, k], %4[i, m, k] -> [i, n, m] : <2, n, 4>, <2, n, 4>
  %6 = xf.tanh %5 : <2, n, n>
  %7 = xf.softmax %6 : <2, n, n>
  %8 = xf.contract %7[i, n, m], %4[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 4>
  xf.return %8 : !xf.real<2, n, 4>
}

// -----

// Nothing is rounded if no product with a weight is; nor are products without a
// softmax between them, or products with weights.
xf.stored @F : !xf.real<8, 8> from "F" as <([8:8], [8:1])>

// CHECK-LABEL: xf.entry @exact
// EXACT-LABEL: xf.entry @exact
// CHECK-NOT: {{xf.round|rounded}}
xf.entry @exact(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %F = xf.weight @F : !xf.real<8, 8>
  %0 = xf.contract %x[n, k], %F[k, c] -> [n, c] : <n, 8>, <8, 8>
  %1 = xf.contract %0[n, k], %x[m, k] -> [n, m] : <n, 8>, <n, 8>
  %2 = xf.softmax %1 : <n, n>
  %3 = xf.contract %2[n, m], %x[m, c] -> [n, c] : <n, n>, <n, 8>
  xf.return %3 : !xf.real<n, 8>
}

// -----

xf.stored @W : !xf.real<8, 8> from "W" in bf16 as <([8:8], [8:1])>
xf.stored @F : !xf.real<4, 8> from "F" as <([4:8], [8:1])>

// CHECK-LABEL: xf.entry @others
// EXACT-LABEL: xf.entry @others
// CHECK: xf.round %arg0 to bf16
// CHECK-NOT: {{xf.round|rounded}}
xf.entry @others(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %W = xf.weight @W : !xf.real<8, 8>
  %F = xf.weight @F : !xf.real<4, 8>
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %1 = xf.contract %0[n, k], %x[m, k] -> [n, m] : <n, 8>, <n, 8>
  %2 = xf.contract %1[n, m], %x[m, c] -> [n, c] : <n, n>, <n, 8>
  %3 = xf.contract %2[n, k], %F[e, k] -> [n, e] : <n, 8>, <4, 8>
  %4 = xf.softmax %3 : <n, 4>
  %5 = xf.contract %4[n, e], %F[e, c] -> [n, c] : <n, 4>, <4, 8>
  xf.return %5 : !xf.real<n, 8>
}

// -----

// Values that are columns of the keys: both are columns of the same rounded
// rows, which are kept once.
xf.stored @W : !xf.real<8, 8> from "W" in bf16 as <([8:8], [8:1])>

// CHECK-LABEL: xf.entry @columns
// CHECK: %[[Z:.*]] = xf.append
// CHECK: %[[K:.*]] = xf.round %[[Z]] to bf16 : <n, 12>
// CHECK-NOT: xf.round %{{.*}} to bf16 : <n, 8>
// CHECK: xf.contract %{{.*}}[i, n, k], %[[K]][m, k]
// CHECK: %[[V:.*]] = xf.slice %[[K]] axis 1 from 0 : <n, 12> -> <n, 8>
// CHECK: xf.contract %{{.*}}[i, n, m], %[[V]][m, c]
xf.entry @columns(%x: !xf.real<n, 8>, %r: !xf.real<n, 4>, %Q: !xf.real<2, n, 12>)
    -> !xf.real<2, n, 8> {
  %W = xf.weight @W : !xf.real<8, 8>
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %1 = xf.append %0, %r axis 1 : <n, 8>, <n, 4> -> <n, 12>
  %2 = xf.contract %Q[i, n, k], %1[m, k] -> [i, n, m] : <2, n, 12>, <n, 12>
  %3 = xf.softmax %2 : <2, n, n>
  %4 = xf.slice %1 axis 1 from 0 : <n, 12> -> <n, 8>
  %5 = xf.contract %3[i, n, m], %4[m, c] -> [i, n, c] : <2, n, n>, <n, 8>
  xf.return %5 : !xf.real<2, n, 8>
}
