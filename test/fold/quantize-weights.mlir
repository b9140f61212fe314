// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-quantize-weights='to=int4' | FileCheck %s
// RUN: %transfold-opt %s -xf-quantize-weights='to=int8' | FileCheck %s --check-prefix=INT8
// RUN: %transfold-opt %s -xf-quantize-weights='to=bf16' | FileCheck %s --check-prefix=BF16
// RUN: %transfold-opt %s -xf-quantize-weights='to=int8' -xf-round-products='to=int8' | FileCheck %s --check-prefix=PRODUCTS

// Weights whose summed axis consists of whole blocks get 4 bits, including a folded
// constant; a table gets 8. With 8 bits, 64 elements share a scale if possible.
// CHECK: xf.stored @W {{.*}} times [<"1/3">] rounded q4_1{{$}}
// CHECK: xf.stored @E {{.*}} rounded q8_0{{$}}
// INT8: xf.stored @W {{.*}} times [<"1/3">] rounded int8_64{{$}}
// INT8: xf.stored @E {{.*}} rounded q8_0{{$}}
// BF16: xf.stored @W {{.*}} rounded bf16{{$}}
// BF16: xf.stored @E {{.*}} rounded bf16{{$}}
xf.stored @W : !xf.real<64, 64> from "W" as <([64:1], [64:64])> times [<"1/3">]
xf.stored @E : !xf.real<96, 64> from "E" as <([96:64], [64:1])>
// Summed elements with a stride: those of a row of the tensor, or of a third of
// it. Weights in bfloat16 are not quantized.
// CHECK: xf.stored @Across {{.*}} rounded q4_1 apart 64
// CHECK: xf.stored @Third {{.*}} rounded q4_1 apart 192
// INT8: xf.stored @Across {{.*}} rounded int8_64 apart 64
// INT8: xf.stored @Third {{.*}} rounded int8_64 apart 192
// BF16: xf.stored @Across {{.*}} rounded bf16{{$}}
// BF16: xf.stored @Third {{.*}} rounded bf16{{$}}
xf.stored @Across : !xf.real<64, 64> from "A" as <([64:64], [64:1])>
xf.stored @Third : !xf.real<64, 64> from "T" as <([64:192], [64:1]) + 64>
// 96 elements are three blocks of 32, and not a multiple of 64.
// CHECK: xf.stored @Some {{.*}} rounded q4_1{{$}}
// INT8: xf.stored @Some {{.*}} rounded q8_0{{$}}
// BF16: xf.stored @Some {{.*}} rounded bf16{{$}}
xf.stored @Some : !xf.real<96, 64> from "S" as <([96:1], [64:96])>
// Not quantized: there is no whole block; products sum along different axes;
// another operation reads the weights; a vector; already in blocks.
// CHECK-NOT: rounded
// INT8-NOT: rounded
// BF16: xf.stored @Narrow {{.*}} rounded bf16{{$}}
// BF16-NOT: rounded
xf.stored @Narrow : !xf.real<48, 64> from "N" as <([48:1], [64:48])>
xf.stored @Both : !xf.real<64, 64> from "B" as <([64:1], [64:64])>
xf.stored @Added : !xf.real<64, 64> from "P" as <([64:1], [64:64])>
xf.stored @b : !xf.real<64> from "b" as <([64:1])>
xf.stored @Q : !xf.real<64, 64> from "Q" in q4_0 as <([64:1], [64:64])>

// PRODUCTS-LABEL: xf.entry @main
// PRODUCTS: xf.quantize {{.*}} by 64
// PRODUCTS: xf.quantize {{.*}} by 32
// PRODUCTS: xf.quantize {{.*}} by 64
// PRODUCTS: xf.quantize {{.*}} by 32
// PRODUCTS: xf.quantize {{.*}} by 64
// PRODUCTS: xf.quantize {{.*}} by 32
// PRODUCTS-NOT: xf.quantize
xf.entry @main(%tokens: !xf.integer<n>, %y: !xf.real<n, 48>, %z: !xf.real<n, 96>) -> (!xf.real<n, 96>, !xf.real<64, 64>) {
  %e = xf.weight @E : <96, 64>
  %w = xf.weight @W : <64, 64>
  %q = xf.weight @Q : <64, 64>
  %across = xf.weight @Across : <64, 64>
  %third = xf.weight @Third : <64, 64>
  %some = xf.weight @Some : <96, 64>
  %both = xf.weight @Both : <64, 64>
  %narrow = xf.weight @Narrow : <48, 64>
  %added = xf.weight @Added : <64, 64>
  %b = xf.weight @b : <64>
  %0 = xf.gather %e[%tokens] : <96, 64>, <n>
  %1 = xf.contract %0[n, k], %w[k, c] -> [n, c] : <n, 64>, <64, 64>
  %2 = xf.contract %1[n, k], %q[k, c] -> [n, c] : <n, 64>, <64, 64>
  %third1 = xf.contract %2[n, k], %third[k, c] -> [n, c] : <n, 64>, <64, 64>
  %some1 = xf.contract %z[n, k], %some[k, c] -> [n, c] : <n, 96>, <96, 64>
  %both1 = xf.contract %third1[n, k], %both[k, c] -> [n, c] : <n, 64>, <64, 64>
  %both2 = xf.contract %both1[n, k], %both[c, k] -> [n, c] : <n, 64>, <64, 64>
  %sum = xf.add %some1[n, c], %both2[n, c] -> [n, c] : <n, 64>, <n, 64>
  %3 = xf.contract %sum[n, k], %across[k, c] -> [n, c] : <n, 64>, <64, 64>
  %4 = xf.contract %y[n, k], %narrow[k, c] -> [n, c] : <n, 48>, <48, 64>
  %5 = xf.add %3[n, c], %4[n, c] -> [n, c] : <n, 64>, <n, 64>
  %6 = xf.add %5[n, c], %b[c] -> [n, c] : <n, 64>, <64>
  %7 = xf.contract %6[n, k], %e[c, k] -> [n, c] : <n, 64>, <96, 64>
  %8 = xf.negate %added : <64, 64>
  xf.return %7, %8 : !xf.real<n, 96>, !xf.real<64, 64>
}
