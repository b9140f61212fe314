// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of products in the cheapest order, and where they must stay.
// RUN: %transfold-opt %s --xf-reassociate | FileCheck %s
// RUN: %transfold-opt %s --xf-reassociate=keep=order | FileCheck %s --check-prefix=KEPT
// RUN: %transfold-opt %s --xf-reassociate=keep=B | FileCheck %s --check-prefix=ONE

xf.stored @A : !xf.real<64, 256> from "A" as <([64:256], [256:1])>
xf.stored @B : !xf.real<256, 64> from "B" as <([256:64], [64:1])>
xf.stored @Q : !xf.real<256, 64> from "Q" in q8_0 as <([256:1], [64:256])>
xf.stored @C : !xf.real<64, 8> from "C" as <([64:8], [8:1])>
xf.stored @D : !xf.real<8, 64> from "D" as <([8:64], [64:1])>
xf.stored @H : !xf.real<4, 64, 256> from "H" as <([4:16384], [64:256], [256:1])>
xf.stored @I : !xf.real<4, 256, 16> from "I" as <([4:4096], [256:16], [16:1])>

// The product of two weights is smaller than they are.
// CHECK-LABEL: xf.entry @weights
// CHECK: %[[A:.*]] = xf.weight @A
// CHECK: %[[B:.*]] = xf.weight @B
// CHECK: %[[AB:.*]] = xf.contract %[[A]][{{[a-z]}}, [[R:[a-z]]]], %[[B]][[[R]], {{[a-z]}}]
// CHECK: xf.contract %arg0[{{.*}}], %[[AB]][{{.*}}] -> {{.*}} : <n, 64>, <64, 64>
// KEPT-LABEL: xf.entry @weights
// KEPT: xf.contract %arg0[n, k], %{{.*}}[k, r] -> [n, r]
xf.entry @weights(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %A = xf.weight @A : <64, 256>
  %B = xf.weight @B : <256, 64>
  %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
  %b = xf.contract %a[n, r], %B[r, c] -> [n, c] : <n, 256>, <256, 64>
  xf.return %b : !xf.real<n, 64>
}

// The product of low-rank factors is larger than they are: rows first. Here the
// equations multiply the weights first.
// CHECK-LABEL: xf.entry @adapter
// CHECK: %[[C:.*]] = xf.weight @C
// CHECK: %[[D:.*]] = xf.weight @D
// CHECK: %[[LOW:.*]] = xf.contract %arg0[{{.*}}], %[[C]][{{.*}}] -> {{.*}} : <n, 64>, <64, 8>
// CHECK: xf.contract %[[LOW]][{{.*}}], %[[D]][{{.*}}] -> {{.*}} : <n, 8>, <8, 64>
xf.entry @adapter(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %C = xf.weight @C : <64, 8>
  %D = xf.weight @D : <8, 64>
  %CD = xf.contract %C[k, r], %D[r, c] -> [k, c] : <64, 8>, <8, 64>
  %y = xf.contract %x[n, k], %CD[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %y : !xf.real<n, 64>
}

// A family of weights.
// CHECK-LABEL: xf.entry @family
// CHECK: %[[HI:.*]] = xf.contract %{{.*}}, %{{.*}} -> {{.*}} : <4, 64, 256>, <4, 256, 16>
// CHECK: xf.contract %arg0[{{.*}}], %[[HI]][{{.*}}] -> {{.*}} : <n, 64>, <4, 64, 16>
xf.entry @family(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<4, n, 16> {xf.name = "y", xf.external = "y"}) {
  %H = xf.weight @H : <4, 64, 256>
  %I = xf.weight @I : <4, 256, 16>
  %a = xf.contract %x[n, k], %H[i, k, r] -> [i, n, r] : <n, 64>, <4, 64, 256>
  %b = xf.contract %a[i, n, r], %I[i, r, c] -> [i, n, c] : <4, n, 256>, <4, 256, 16>
  xf.return %b : !xf.real<4, n, 16>
}

// A second reader needs the value between.
// CHECK-LABEL: xf.entry @read_twice
// CHECK: xf.contract %arg0[n, k], %{{.*}}[k, r] -> [n, r]
// CHECK: xf.contract %{{.*}}[n, r], %{{.*}}[r, c] -> [n, c]
xf.entry @read_twice(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"},
        !xf.real<n, 256> {xf.name = "z", xf.external = "z"}) {
  %A = xf.weight @A : <64, 256>
  %B = xf.weight @B : <256, 64>
  %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
  %b = xf.contract %a[n, r], %B[r, c] -> [n, c] : <n, 256>, <256, 64>
  xf.return %b, %a : !xf.real<n, 64>, !xf.real<n, 256>
}

// A function between.
// CHECK-LABEL: xf.entry @function
// CHECK: xf.contract %arg0[n, k], %{{.*}}[k, r] -> [n, r]
// CHECK: xf.contract %{{.*}}[n, r], %{{.*}}[r, c] -> [n, c]
xf.entry @function(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %A = xf.weight @A : <64, 256>
  %B = xf.weight @B : <256, 64>
  %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
  %f = xf.tanh %a : <n, 256>
  %b = xf.contract %f[n, r], %B[r, c] -> [n, c] : <n, 256>, <256, 64>
  xf.return %b : !xf.real<n, 64>
}

// A rounding between: the model asks for it.
// CHECK-LABEL: xf.entry @rounding
// CHECK: xf.contract %arg0[n, k], %{{.*}}[k, r] -> [n, r]
// CHECK: xf.contract %{{.*}}[n, r], %{{.*}}[r, c] -> [n, c]
xf.entry @rounding(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %A = xf.weight @A : <64, 256>
  %B = xf.weight @B : <256, 64>
  %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
  %f = xf.round %a to bf16 : <n, 256>
  %b = xf.contract %f[n, r], %B[r, c] -> [n, c] : <n, 256>, <256, 64>
  xf.return %b : !xf.real<n, 64>
}

// A weight in blocks is multiplied with rows only.
// CHECK-LABEL: xf.entry @blocks
// CHECK: xf.contract %arg0[n, k], %{{.*}}[k, r] -> [n, r]
// CHECK: xf.contract %{{.*}}[n, r], %{{.*}}[r, c] -> [n, c]
xf.entry @blocks(%x: !xf.real<n, 64> {xf.name = "x", xf.external = "x"})
    -> (!xf.real<n, 64> {xf.name = "y", xf.external = "y"}) {
  %A = xf.weight @A : <64, 256>
  %Q = xf.weight @Q : <256, 64>
  %a = xf.contract %x[n, k], %A[k, r] -> [n, r] : <n, 64>, <64, 256>
  %b = xf.contract %a[n, r], %Q[r, c] -> [n, c] : <n, 256>, <256, 64>
  xf.return %b : !xf.real<n, 64>
}

// Which order is cheaper depends on n: the order of the equations stays.
// CHECK-LABEL: xf.entry @lengths
// CHECK: xf.contract %arg0[n, k], %arg1[m, k] -> [n, m]
// CHECK: xf.contract %{{.*}}[n, m], %arg2[m, c] -> [n, c]
xf.entry @lengths(%q: !xf.real<n, 16> {xf.name = "q", xf.external = "q"},
                  %k: !xf.real<n, 16> {xf.name = "k", xf.external = "k"},
                  %v: !xf.real<n, 16> {xf.name = "v", xf.external = "v"})
    -> (!xf.real<n, 16> {xf.name = "y", xf.external = "y"}) {
  %s = xf.contract %q[n, k], %k[m, k] -> [n, m] : <n, 16>, <n, 16>
  %y = xf.contract %s[n, m], %v[m, c] -> [n, c] : <n, n>, <n, 16>
  xf.return %y : !xf.real<n, 16>
}

// CHECK: xf.moved "order" "A, B" to ["x (A B)
// CHECK-SAME: "4096 n multiply-adds for 32768 n"]
// CHECK: xf.moved "order" "C, D" to ["(x C) D for x (C D)", "1024 n multiply-adds for 32768 + 4096 n"]
// CHECK: xf.moved "order" "H, I"
// CHECK-NOT: xf.moved
// KEPT: xf.moved "order" "A, B" to [] readers 0 kept "--no-fold"
// KEPT: xf.moved "order" "C, D" to [] readers 0 kept "--no-fold"
// KEPT: xf.moved "order" "H, I" to [] readers 0 kept "--no-fold"

// ONE: xf.moved "order" "A, B" to [] readers 0 kept "--no-fold"
// ONE: xf.moved "order" "C, D" to ["(x C) D
