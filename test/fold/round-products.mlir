// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-round-products=attention=false | FileCheck %s
// Activations of bfloat16 weights are rounded to bfloat16; nothing else is.

xf.stored @B : !xf.real<8, 8> from "B" in bf16 as <([8:8], [8:1])>
xf.stored @Scaled : !xf.real<8, 8> from "S" in bf16 as <([8:8], [8:1])> times [<"1/3">]
xf.stored @H : !xf.real<8, 8> from "H" in f16 as <([8:8], [8:1])>
xf.stored @F : !xf.real<8, 8> from "F" as <([8:8], [8:1])>

// CHECK-LABEL: xf.entry @main(%arg0: !xf.real<n, 8>,
xf.entry @main(%x: !xf.real<n, 8>, %z: !xf.real<m, 8>) -> !xf.real<n, 8> {
  // CHECK: %[[B:.*]] = xf.weight @B
  %b = xf.weight @B : !xf.real<8, 8>
  %s = xf.weight @Scaled : !xf.real<8, 8>
  %h = xf.weight @H : !xf.real<8, 8>
  %f = xf.weight @F : !xf.real<8, 8>
  // CHECK: %[[R:.*]] = xf.round %arg0 to bf16
  // CHECK-NEXT: %[[Y:.*]] = xf.contract %[[R]][n, k], %[[B]][k, c]
  %0 = xf.contract %x[n, k], %b[k, c] -> [n, c] : <n, 8>, <8, 8>
  // No rounding for a weight that folding changed, which is stored as float32;
  // for weights in float16 or float32; for products of two activations.
  // CHECK-NOT: xf.round
  %1 = xf.contract %0[n, k], %s[k, c] -> [n, c] : <n, 8>, <8, 8>
  %2 = xf.contract %1[n, k], %h[k, c] -> [n, c] : <n, 8>, <8, 8>
  %3 = xf.contract %2[n, k], %f[k, c] -> [n, c] : <n, 8>, <8, 8>
  %4 = xf.contract %3[n, k], %z[m, k] -> [n, m] : <n, 8>, <m, 8>
  %5 = xf.softmax %4 : <n, m>
  %6 = xf.contract %5[n, m], %z[m, c] -> [n, c] : <n, m>, <m, 8>
  xf.return %6 : !xf.real<n, 8>
}
