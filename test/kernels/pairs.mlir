// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64' -xf-assign-schedules='target=x86-64' | FileCheck %s
// RUN: %transfold-opt %s -xf-choose-storage='target=avx512' -xf-assign-schedules='target=avx512' | FileCheck %s --check-prefix=ONE
// RUN: %transfold-opt %s -xf-choose-storage='target=arm-64-linux' -xf-assign-schedules='target=arm-64-linux' | FileCheck %s --check-prefix=ARM
// Weights in bfloat16 are stored in pairs of rows. Only products rounded to
// bfloat16 get a variant that multiplies pairs, and one for matrix registers.

// CHECK: module attributes {xf.variants = ["amx", "avx512_bf16", "avx512", "avx2"]}
// ONE-NOT: xf.variants
// ONE-NOT: dot
// ARM: module attributes {xf.variants = ["neon_bf16", "neon"]}

xf.stored @W : !xf.real<384, 64> from "W" in bf16 as <([384:64], [64:1])>
xf.stored @V : !xf.real<40, 384> from "V" in bf16 as <([40:384], [384:1])>
xf.stored @H : !xf.real<64, 40> from "H" in f16 as <([64:40], [40:1])>

// CHECK-LABEL: xf.kernel @exact(
// CHECK-SAME: {xf.storage = #xf.storage<bf16, <32, 2>>}
// CHECK-NOT: dot
// CHECK-SAME: variant = "avx512"}
// CHECK-LABEL: xf.kernel @exact_avx2(
// CHECK-NOT: dot
// CHECK-SAME: variant = "avx2", variant_of = @exact}
// ARM-LABEL: xf.kernel @exact(
// ARM-SAME: variant = "neon"}
// ARM-NOT: @exact_
xf.kernel @exact(%x: !xf.real<n, 384>, %W: !xf.real<384, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 384>, <384, 64>
  xf.return %0 : !xf.real<n, 64>
}

// CHECK-LABEL: xf.kernel @rounded(
// CHECK-SAME: schedule = {block = 128 : i64, columns = 32 : i64, depth = 384 : i64, rows = 32 : i64, tiles = 1 : i64
// CHECK-SAME: variant = "amx"}
// CHECK-LABEL: xf.kernel @rounded_avx512_bf16(
// CHECK-SAME: depth = 192 : i64, dot = 2 : i64
// CHECK-SAME: variant = "avx512_bf16", variant_of = @rounded}
// CHECK-LABEL: xf.kernel @rounded_avx512(
// CHECK-NOT: dot
// CHECK-SAME: variant = "avx512", variant_of = @rounded}
// CHECK-LABEL: xf.kernel @rounded_avx2(
// CHECK-NOT: dot
// CHECK-SAME: variant = "avx2", variant_of = @rounded}
// ARM-LABEL: xf.kernel @rounded(
// ARM-SAME: columns = 8 : i64, depth = 192 : i64, dot = 2 : i64, overlap = 8 : i64, rows = 8 : i64
// ARM-SAME: variant = "neon_bf16"}
// ARM-LABEL: xf.kernel @rounded_neon(
// ARM-NOT: dot =
// ARM-SAME: variant = "neon", variant_of = @rounded}
xf.kernel @rounded(%x: !xf.real<n, 384>, %W: !xf.real<384, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>} {
  %r = xf.round %x to bf16 : <n, 384>
  %0 = xf.contract %r[n, k], %W[k, c] -> [n, c] : <n, 384>, <384, 64>
  xf.return %0 : !xf.real<n, 64>
}

// 40 rows are not a multiple of 32; float16 weights have no such pairs.
// CHECK-LABEL: xf.kernel @odd(
// CHECK-SAME: {xf.storage = #xf.storage<bf16, <32>>}
// CHECK-SAME: variant = "avx512"}
xf.kernel @odd(%x: !xf.real<n, 40>, %V: !xf.real<40, 384>) -> !xf.real<n, 384> attributes {anchor = #xf.anchor<contraction>} {
  %r = xf.round %x to bf16 : <n, 40>
  %0 = xf.contract %r[n, k], %V[k, c] -> [n, c] : <n, 40>, <40, 384>
  xf.return %0 : !xf.real<n, 384>
}
// CHECK-LABEL: xf.kernel @half(
// CHECK-SAME: {xf.storage = #xf.storage<f16, <32>>}
xf.kernel @half(%x: !xf.real<n, 64>, %H: !xf.real<64, 40>) -> !xf.real<n, 40> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %H[k, c] -> [n, c] : <n, 64>, <64, 40>
  xf.return %0 : !xf.real<n, 40>
}

xf.entry @main(%x: !xf.real<n, 384>) -> (!xf.real<n, 64>, !xf.real<n, 384>) {
  %w = xf.weight @W : !xf.real<384, 64>
  %v = xf.weight @V : !xf.real<40, 384>
  %h = xf.weight @H : !xf.real<64, 40>
  %0 = xf.launch @exact(%x, %w) : (!xf.real<n, 384>, !xf.real<384, 64>) -> !xf.real<n, 64>
  %1 = xf.launch @rounded(%x, %w) : (!xf.real<n, 384>, !xf.real<384, 64>) -> !xf.real<n, 64>
  %2 = xf.launch @half(%1, %h) : (!xf.real<n, 64>, !xf.real<64, 40>) -> !xf.real<n, 40>
  %3 = xf.launch @odd(%2, %v) : (!xf.real<n, 40>, !xf.real<40, 384>) -> !xf.real<n, 384>
  xf.return %0, %3 : !xf.real<n, 64>, !xf.real<n, 384>
}
