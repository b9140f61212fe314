// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-round-products='to=int8' | FileCheck %s
// Activations for weights in blocks are rounded to 8 bits; nothing else is.

xf.stored @Q : !xf.real<256, 64> from "Q" in q4_k as <([256:1], [64:256])>
// A family of one member: its stride does not matter.
xf.stored @One : !xf.real<1, 64, 64> from "One" in q8_0 as <([1:1], [64:1], [64:64])>
xf.stored @Table : !xf.real<64, 64> from "E" in q8_0 as <([64:64], [64:1])>
xf.stored @Scaled : !xf.real<64, 64> from "S" in q8_0 as <([64:1], [64:64])> times [<"1/3">]
xf.stored @Across : !xf.real<64, 64> from "A" in q8_0 as <([64:64], [64:1])>
xf.stored @B : !xf.real<64, 64> from "B" in bf16 as <([64:1], [64:64])>

// CHECK-LABEL: xf.entry @main(%arg0: !xf.real<n, 256>
xf.entry @main(%x: !xf.real<n, 256>) -> !xf.real<n, 64> {
  %q = xf.weight @Q : <256, 64>
  %one = xf.weight @One : <1, 64, 64>
  %table = xf.weight @Table : <64, 64>
  %scaled = xf.weight @Scaled : <64, 64>
  %across = xf.weight @Across : <64, 64>
  %b = xf.weight @B : <64, 64>
  // CHECK: %[[R:.*]] = xf.quantize %arg0 by 32
  // CHECK-NEXT: %[[Y:.*]] = xf.contract %[[R]][n, k],
  %0 = xf.contract %x[n, k], %q[k, c] -> [n, c] : <n, 256>, <256, 64>
  // CHECK-NEXT: %[[S:.*]] = xf.quantize %[[Y]] by 32
  // CHECK-NEXT: xf.contract %[[S]][n, k],
  %1 = xf.contract %0[n, k], %one[i, k, c] -> [i, n, c] : <n, 64>, <1, 64, 64>
  // CHECK-NEXT: %[[T:.*]] = xf.quantize %[[Y]] by 32
  // CHECK-NEXT: %[[Z:.*]] = xf.contract %[[T]][n, k], %{{.*}}[c, k]
  %2 = xf.contract %0[n, k], %table[c, k] -> [n, c] : <n, 64>, <64, 64>
  // Not quantized: a weight with a folded factor; blocks along columns;
  // bfloat16 weights; a sum over an axis that is not contiguous in x.
  // CHECK-NOT: xf.quantize
  %3 = xf.contract %2[n, k], %scaled[k, c] -> [n, c] : <n, 64>, <64, 64>
  %4 = xf.contract %3[n, k], %across[k, c] -> [n, c] : <n, 64>, <64, 64>
  %5 = xf.contract %4[n, k], %b[k, c] -> [n, c] : <n, 64>, <64, 64>
  %turned = xf.rearrange %5[n, k] -> [k, n] : <n, 64> -> <64, n>
  %6 = xf.contract %turned[k, n], %table[c, k] -> [n, c] : <64, n>, <64, 64>
  xf.return %6 : !xf.real<n, 64>
}
