// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-assign-schedules='target=x86-64' --mlir-print-local-scope | FileCheck %s
// RUN: %transfold-opt %s -xf-assign-schedules='target=avx512_bf16' --mlir-print-local-scope | FileCheck %s --check-prefix=WORDS
// RUN: %transfold-opt %s -xf-assign-schedules='target=arm-64-linux' --mlir-print-local-scope | FileCheck %s --check-prefix=ARM
// RUN: %transfold-opt %s -xf-assign-schedules='target=neon_bf16 trials' --mlir-print-local-scope | FileCheck %s --check-prefix=TRIALS
// RUN: %transfold-opt %s -xf-assign-schedules='target=amx trials' --mlir-print-local-scope | FileCheck %s --check-prefix=PANELS
// For many rows, matrix registers multiply signed bytes. Forms for few rows are
// those of CPUs without them.

// CHECK: module attributes {xf.variants = ["amx", "avx512_bf16", "avx512", "avx2"]}
// WORDS-NOT: tiles
// ARM: module attributes {xf.variants = ["neon_bf16", "neon_dot", "neon"]}

// CHECK-LABEL: xf.kernel @product(
// CHECK-SAME: few = @product_several, few_rows = 16 : i64
// CHECK-SAME: schedule = {block = 128 : i64, columns = 32 : i64, depth = 64 : i64, overlap = 8 : i64, rows = 16 : i64, tiles = 1 : i64
// CHECK-SAME: variant = "amx"}
// CHECK-LABEL: xf.kernel @product_avx512_bf16(
// CHECK-SAME: rows = 6 : i64, unroll
// CHECK-SAME: variant = "avx512_bf16", variant_of = @product}
// CHECK-LABEL: xf.kernel @product_several(
// CHECK-SAME: rows = 4 : i64, unroll
// CHECK-SAME: variant = "avx512_bf16"}
// CHECK-LABEL: xf.kernel @product_few(
// CHECK-SAME: rows = 1 : i64, unroll
// CHECK-SAME: variant = "avx512_bf16"}
// ARM's small matrices have two rows, so tiles have an even number of rows.
// ARM-LABEL: xf.kernel @product(
// ARM-SAME: depth = 64 : i64, octets = 1 : i64, overlap = 8 : i64, rows = 6 : i64
// ARM-SAME: variant = "neon_bf16"}
// ARM-LABEL: xf.kernel @product_neon_dot(
// ARM-NOT: octets
// ARM-SAME: variant = "neon_dot", variant_of = @product}
// ARM-LABEL: xf.kernel @product_several(
// ARM-NOT: octets
// ARM-SAME: variant = "neon_dot"}
// TRIALS-LABEL: xf.kernel @product_trial1(
// TRIALS-SAME: octets = 1 : i64, overlap = 8 : i64, rows = 4 : i64
// TRIALS-NOT: octets = 1 : i64, overlap = {{[0-9]+}} : i64, rows = {{[135]}} :
xf.kernel @product(%x: !xf.real<n, 128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<int8_64, <32>>}) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 64 : <n, 128>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 64>
  xf.return %1 : !xf.real<n, 64>
}

// No tiles for codes of fewer bits, scales of x with smaller groups than those
// of W, and members of a family with one row each.
// CHECK-LABEL: xf.kernel @narrow(
// CHECK-SAME: variant = "avx512_bf16"}
// ARM-LABEL: xf.kernel @biased(
// ARM-NOT: octets
// ARM-SAME: variant = "neon_dot"}
xf.kernel @biased(%x: !xf.real<n, 128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<q4_0, <32>>}) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 64 : <n, 128>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 64>
  xf.return %1 : !xf.real<n, 64>
}
// ARM-LABEL: xf.kernel @narrow(
// ARM-SAME: octets = 1 : i64
xf.kernel @narrow(%x: !xf.real<n, 128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<q4_1, <32>>}) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 64 : <n, 128>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 64>
  xf.return %1 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @scales(
// CHECK-SAME: variant = "avx512_bf16"}
xf.kernel @scales(%x: !xf.real<n, 128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<int8_64, <32>>}) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 32 : <n, 128>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 64>
  xf.return %1 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @members(
// CHECK-SAME: variant = "avx512_bf16"}
xf.kernel @members(%x: !xf.real<3, 128>, %W: !xf.real<3, 128, 64> {xf.storage = #xf.storage<int8_64, <32>>}) -> !xf.real<3, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.quantize %x by 64 : <3, 128>
  %1 = xf.contract %0[i, k], %W[i, k, c] -> [i, c] : <3, 128>, <3, 128, 64>
  xf.return %1 : !xf.real<3, 64>
}

// Products of bfloat16 are added in the order of those registers, also in the
// form without them: each form is then for such CPUs. A single row has no other
// form.
// CHECK-LABEL: xf.kernel @pairs(
// CHECK-SAME: depth = 128 : i64, rows = 32 : i64, tiles = 1 : i64
// CHECK-SAME: variant = "amx"}
// CHECK-LABEL: xf.kernel @pairs_avx512_bf16(
// CHECK-SAME: dot = 2 : i64
// CHECK-LABEL: xf.kernel @pairs_several(
// CHECK-SAME: block = 16 : i64, columns = 32 : i64, depth = 128 : i64, rows = 16 : i64, tiles = 1 : i64
// CHECK-SAME: variant = "amx"}
// CHECK-LABEL: xf.kernel @pairs_several_avx512_bf16(
// CHECK-NOT: halves
// CHECK-SAME: dot = 2 : i64
// CHECK-LABEL: xf.kernel @pairs_few(
// CHECK-SAME: columns = 32 : i64, depth = 32 : i64, halves = 1 : i64, rows = 1 : i64
// CHECK-SAME: variant = "amx"}
// Such a tile is a panel.
// PANELS-LABEL: xf.kernel @pairs_trial1(
// PANELS-NOT: columns = {{(16|64)}} : i64, depth = 128
// PANELS: xf.kernel @pairs_several(
xf.kernel @pairs(%x: !xf.real<n, 128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<bf16, <32, 2>>}) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <n, 128>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 128>, <128, 64>
  xf.return %1 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @row(
// CHECK-SAME: schedule = {columns = 64 : i64, depth = 32 : i64, halves = 1 : i64
// CHECK-SAME: variant = "amx"}
xf.kernel @row(%x: !xf.real<128>, %W: !xf.real<128, 64> {xf.storage = #xf.storage<bf16, <32, 2>>}) -> !xf.real<64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <128>
  %1 = xf.contract %0[k], %W[k, c] -> [c] : <128>, <128, 64>
  xf.return %1 : !xf.real<64>
}

xf.entry @main.step(%x: !xf.real<n, 128>, %W: !xf.real<128, 64>) -> !xf.real<n, 64>
    attributes {stage = #xf.stage<step>, stage_of = @main} {
  %0 = xf.launch @product(%x, %W) : (!xf.real<n, 128>, !xf.real<128, 64>) -> !xf.real<n, 64>
  %1 = xf.launch @pairs(%x, %W) : (!xf.real<n, 128>, !xf.real<128, 64>) -> !xf.real<n, 64>
  xf.return %0 : !xf.real<n, 64>
}
