// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=cuda' -xf-assign-schedules='target=cuda' --mlir-print-local-scope | FileCheck %s
// Products of decode steps on a GPU have three forms, which sum in the same parts
// (`depth`): for many rows, for several, and for one, whose threads read 16 bytes at a
// time. Weights keep the format of the checkpoint, and are not stored in pairs.

xf.stored @A : !xf.real<4096, 256> from "A" as <([4096:256], [256:1])>
xf.stored @B : !xf.real<4096, 256> from "B" in bf16 as <([4096:256], [256:1])>
xf.stored @C : !xf.real<14336, 256> from "C" in f16 as <([14336:256], [256:1])>
xf.stored @D : !xf.real<512, 256> from "D" in q4_0 as <([512:1], [256:512])>
xf.stored @F : !xf.real<8, 512, 256> from "F" as <([8:131072], [512:256], [256:1])>
xf.stored @E : !xf.real<512, 256> from "E" in q6_k as <([512:1], [256:512])>

// 64 parts of 64 terms. A warp has 8 threads, with 4 columns each, for 4 parts;
// 16 warps compute the 64 parts.
// CHECK-LABEL: xf.kernel @floats(
// CHECK-SAME: #xf.storage<f32, <32>>
// CHECK-SAME: few = @floats_several, few_rows = 16 : i64
// CHECK-SAME: schedule = {across = 16 : i64, {{.*}}depth = 64 : i64
// CHECK-LABEL: xf.kernel @floats_several(
// CHECK-SAME: few = @floats_few, few_rows = 1 : i64
// CHECK-NOT: one_loop
// CHECK-SAME: schedule = {ahead = 4 : i64, columns = 4 : i64, depth = 64 : i64, parts = 64 : i64, rows = 4 : i64}
// CHECK-LABEL: xf.kernel @floats_few(
// CHECK-SAME: schedule = {ahead = 8 : i64, columns = 4 : i64, depth = 64 : i64, parts = 64 : i64, rows = 1 : i64}
xf.kernel @floats(%x: !xf.real<n, 4096>, %W: !xf.real<4096, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4096>, <4096, 256>
  xf.return %0 : !xf.real<n, 256>
}

// With 16 bits, 8 columns are 16 bytes: 256 threads, of which each prefetches twice as many rows.
// CHECK-LABEL: xf.kernel @bfloats(
// CHECK-SAME: #xf.storage<bf16, <32>>
// CHECK-LABEL: xf.kernel @bfloats_few(
// CHECK-SAME: schedule = {ahead = 16 : i64, columns = 8 : i64, depth = 64 : i64, parts = 64 : i64, rows = 1 : i64}
xf.kernel @bfloats(%x: !xf.real<n, 4096>, %W: !xf.real<4096, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4096>, <4096, 256>
  xf.return %0 : !xf.real<n, 256>
}

// A longer sum has longer parts, at most 80.
// CHECK-LABEL: xf.kernel @halves(
// CHECK-SAME: #xf.storage<f16, <32>>
// CHECK-SAME: depth = 256 : i64
// CHECK-LABEL: xf.kernel @halves_few(
// CHECK-SAME: depth = 256 : i64, parts = 56 : i64, rows = 1 : i64}
xf.kernel @halves(%x: !xf.real<n, 14336>, %W: !xf.real<14336, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 14336>, <14336, 256>
  xf.return %0 : !xf.real<n, 256>
}

// Words of blocks, four columns per thread; as many rows at a time as share a scale.
// CHECK-LABEL: xf.kernel @blocks(
// CHECK-SAME: #xf.storage<q4_0, <32>>
// CHECK-LABEL: xf.kernel @blocks_few(
// CHECK-SAME: schedule = {ahead = 32 : i64, columns = 4 : i64, depth = 64 : i64, parts = 8 : i64, rows = 1 : i64}
xf.kernel @blocks(%x: !xf.real<n, 512>, %W: !xf.real<512, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 512>, <512, 256>
  xf.return %0 : !xf.real<n, 256>
}
// CHECK-LABEL: xf.kernel @wide_blocks_few(
// CHECK-SAME: schedule = {ahead = 16 : i64, columns = 4 : i64, depth = 64 : i64
xf.kernel @wide_blocks(%x: !xf.real<n, 512>, %W: !xf.real<512, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 512>, <512, 256>
  xf.return %0 : !xf.real<n, 256>
}

// Members of a family, each with its own matrix, are GPU blocks in all forms.
// Blocks of 64 threads prefetch four times as many rows.
// CHECK-LABEL: xf.kernel @family(
// CHECK-SAME: few = @family_several, few_rows = 16 : i64
// CHECK-LABEL: xf.kernel @family_several(
// CHECK-LABEL: xf.kernel @family_few(
// CHECK-SAME: schedule = {ahead = 32 : i64, columns = 4 : i64, depth = 64 : i64, parts = 8 : i64, rows = 1 : i64}
xf.kernel @family(%x: !xf.real<8, n, 512>, %W: !xf.real<8, 512, 256>) -> !xf.real<8, n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[e, n, k], %W[e, k, c] -> [e, n, c] : <8, n, 512>, <8, 512, 256>
  xf.return %0 : !xf.real<8, n, 256>
}

// A sum in one part has only one form.
// CHECK-LABEL: xf.kernel @short(
// CHECK-NOT: few
// CHECK-SAME: schedule = {across
// CHECK-NOT: @short_
xf.kernel @short(%x: !xf.real<n, 64>, %W: !xf.real<64, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 256>
  xf.return %0 : !xf.real<n, 256>
}

// Two products share the registers and the memory of a block: there are half as many
// parts, at most 40, tiles are half as wide, and half as much of each is prefetched.
// CHECK-LABEL: xf.kernel @two(
// CHECK-SAME: schedule = {across = 16 : i64, columns = 4 : i64, depth = 128 : i64
// CHECK-LABEL: xf.kernel @two_several(
// CHECK-SAME: schedule = {ahead = 4 : i64, columns = 4 : i64, depth = 128 : i64, parts = 32 : i64, rows = 4 : i64}
// CHECK-LABEL: xf.kernel @two_few(
// CHECK-SAME: schedule = {ahead = 8 : i64, columns = 4 : i64, depth = 128 : i64, parts = 32 : i64, rows = 1 : i64}
xf.kernel @two(%x: !xf.real<n, 4096>, %V: !xf.real<4096, 256>, %W: !xf.real<4096, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 4096>, <4096, 256>
  %1 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4096>, <4096, 256>
  %2 = xf.multiply %0[n, c], %1[n, c] -> [n, c] : <n, 256>, <n, 256>
  xf.return %2 : !xf.real<n, 256>
}

// A norm fused with a product is summed in the same number of lanes by all
// forms; blocks of several rows have half as many threads.
// CHECK-LABEL: xf.kernel @norm(
// CHECK-SAME: schedule = {across = 16 : i64, {{.*}}, lanes = 128 : i64,
// CHECK-LABEL: xf.kernel @norm_several(
// CHECK-SAME: lanes = 128 : i64, parts = 32 : i64, rows = 4 : i64}
// CHECK-LABEL: xf.kernel @norm_few(
// CHECK-SAME: lanes = 128 : i64, parts = 64 : i64, rows = 1 : i64}
xf.kernel @norm(%x: !xf.real<n, 4096>, %W: !xf.real<4096, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.unit_rms %x epsilon <"0"> : <n, 4096>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 4096>, <4096, 256>
  xf.return %1 : !xf.real<n, 256>
}

// A constant single row needs no step.
// CHECK-LABEL: xf.kernel @row(
// CHECK-SAME: schedule = {ahead = 8 : i64, columns = 4 : i64, depth = 64 : i64, parts = 64 : i64, rows = 1 : i64}
xf.kernel @row(%x: !xf.real<4096>, %W: !xf.real<4096, 256>) -> !xf.real<256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : <4096>, <4096, 256>
  xf.return %0 : !xf.real<256>
}

xf.entry @main.step(%x: !xf.real<n, 4096>, %y: !xf.real<n, 14336>, %z: !xf.real<n, 512>,
                    %w: !xf.real<n, 64>, %v: !xf.real<64, 256>, %r: !xf.real<4096>,
                    %f: !xf.real<8, n, 512>)
    -> !xf.real<n, 256> attributes {stage = #xf.stage<step>, stage_of = @main} {
  %A = xf.weight @A : <4096, 256>
  %B = xf.weight @B : <4096, 256>
  %C = xf.weight @C : <14336, 256>
  %D = xf.weight @D : <512, 256>
  %E = xf.weight @E : <512, 256>
  %0 = xf.launch @floats(%x, %A) : (!xf.real<n, 4096>, !xf.real<4096, 256>) -> !xf.real<n, 256>
  %1 = xf.launch @bfloats(%x, %B) : (!xf.real<n, 4096>, !xf.real<4096, 256>) -> !xf.real<n, 256>
  %2 = xf.launch @halves(%y, %C) : (!xf.real<n, 14336>, !xf.real<14336, 256>) -> !xf.real<n, 256>
  %3 = xf.launch @blocks(%z, %D) : (!xf.real<n, 512>, !xf.real<512, 256>) -> !xf.real<n, 256>
  %4 = xf.launch @wide_blocks(%z, %E) : (!xf.real<n, 512>, !xf.real<512, 256>) -> !xf.real<n, 256>
  %5 = xf.launch @short(%w, %v) : (!xf.real<n, 64>, !xf.real<64, 256>) -> !xf.real<n, 256>
  %F = xf.weight @F : <8, 512, 256>
  %7 = xf.launch @family(%f, %F) : (!xf.real<8, n, 512>, !xf.real<8, 512, 256>) -> !xf.real<8, n, 256>
  %6 = xf.launch @row(%r, %A) : (!xf.real<4096>, !xf.real<4096, 256>) -> !xf.real<256>
  %two = xf.launch @two(%x, %A, %A) : (!xf.real<n, 4096>, !xf.real<4096, 256>, !xf.real<4096, 256>) -> !xf.real<n, 256>
  %norm = xf.launch @norm(%x, %A) : (!xf.real<n, 4096>, !xf.real<4096, 256>) -> !xf.real<n, 256>
  xf.return %5 : !xf.real<n, 256>
}
xf.entry @main(%w: !xf.real<n, 64>, %v: !xf.real<64, 256>) -> !xf.real<n, 256> {
  %0 = xf.launch @short(%w, %v) : (!xf.real<n, 64>, !xf.real<64, 256>) -> !xf.real<n, 256>
  xf.return %0 : !xf.real<n, 256>
}
