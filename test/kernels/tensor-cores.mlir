// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-choose-storage='target=cuda_80' -xf-assign-schedules='target=cuda_80' --mlir-print-local-scope | FileCheck %s
// RUN: %transfold-opt %s -split-input-file -xf-choose-storage='target=cuda' -xf-assign-schedules='target=cuda' --mlir-print-local-scope | FileCheck %s --check-prefix=OTHER
// Tensor cores multiply rows that are rounded to bfloat16 with weights in bfloat16, whose
// rows are interleaved in pairs. All forms add up the same parts, with the same
// instruction: one for many rows, one for 16, and one for 8 of these.

// OTHER-NOT: tiles = 1
// OTHER-NOT: #xf.storage<bf16, <32, 2>>

xf.stored @W : !xf.real<768, 256> from "W" in bf16 as <([768:256], [256:1])>

// Twelve parts of 64 terms. A block of 2 by 2 warps has 64 columns and 64 rows.
// CHECK-LABEL: xf.kernel @rounded(
// CHECK-SAME: #xf.storage<bf16, <32, 2>>
// CHECK-SAME: few = @rounded_several, few_rows = 16 : i64
// CHECK-SAME: schedule = {across = 2 : i64, columns = 32 : i64, depth = 64 : i64, down = 2 : i64, rows = 32 : i64, step = 32 : i64, tiles = 1 : i64}
// CHECK-LABEL: xf.kernel @rounded_several(
// CHECK-SAME: few = @rounded_few, few_rows = 1 : i64
// CHECK-SAME: schedule = {columns = 32 : i64, depth = 64 : i64, parts = 12 : i64, rows = 16 : i64, tiles = 1 : i64}
// CHECK-LABEL: xf.kernel @rounded_few(
// CHECK-SAME: schedule = {columns = 32 : i64, depth = 64 : i64, parts = 12 : i64, rows = 8 : i64, tiles = 1 : i64}
xf.kernel @rounded(%x: !xf.real<n, 768>, %W: !xf.real<768, 256>) -> !xf.real<n, 256>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <n, 768>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 768>, <768, 256>
  xf.return %1 : !xf.real<n, 256>
}
xf.entry @main.step(%x: !xf.real<n, 768>) -> !xf.real<n, 256>
    attributes {stage = #xf.stage<step>, stage_of = @main} {
  %W = xf.weight @W : <768, 256>
  %y = xf.launch @rounded(%x, %W) : (!xf.real<n, 768>, !xf.real<768, 256>) -> !xf.real<n, 256>
  xf.return %y : !xf.real<n, 256>
}
xf.entry @main(%x: !xf.real<n, 768>) -> !xf.real<n, 256> {
  %W = xf.weight @W : <768, 256>
  %y = xf.launch @rounded(%x, %W) : (!xf.real<n, 768>, !xf.real<768, 256>) -> !xf.real<n, 256>
  xf.return %y : !xf.real<n, 256>
}

// -----

// Another kernel rounds the rows: a value of 16 bits is passed. Rows that are passed as float32,
// since something else reads them, too, are rounded once more, which changes nothing.
xf.stored @W : !xf.real<64, 64> from "W" in bf16 as <([64:64], [64:1])>

// CHECK-LABEL: xf.kernel @makes(
// CHECK-SAME: {xf.storage = #xf.storage<bf16>})
xf.kernel @makes(%x: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.round %x to bf16 : <n, 64>
  xf.return %0 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @makes_other(
// CHECK-NOT: bf16
// CHECK: xf.round
xf.kernel @makes_other(%x: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.round %x to bf16 : <n, 64>
  xf.return %0 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @passed(
// CHECK-SAME: %arg0: !xf.real<n, 64> {xf.storage = #xf.storage<bf16>}
// CHECK-SAME: #xf.storage<bf16, <32, 2>>
// CHECK-SAME: tiles = 1
// CHECK-NEXT: xf.contract
xf.kernel @passed(%x: !xf.real<n, 64>, %W: !xf.real<64, 64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %0 : !xf.real<n, 64>
}
// CHECK-LABEL: xf.kernel @again(
// CHECK-SAME: tiles = 1
// CHECK-NEXT: %[[X:.*]] = xf.round %arg0 to bf16
// CHECK-NEXT: xf.contract %[[X]]
xf.kernel @again(%x: !xf.real<n, 64>, %W: !xf.real<64, 64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %0 : !xf.real<n, 64>
}
xf.entry @run(%x: !xf.real<n, 64>) -> (!xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>) {
  %W = xf.weight @W : <64, 64>
  %a = xf.launch @makes(%x) : (!xf.real<n, 64>) -> !xf.real<n, 64>
  %b = xf.launch @makes_other(%x) : (!xf.real<n, 64>) -> !xf.real<n, 64>
  %y = xf.launch @passed(%a, %W) : (!xf.real<n, 64>, !xf.real<64, 64>) -> !xf.real<n, 64>
  %z = xf.launch @again(%b, %W) : (!xf.real<n, 64>, !xf.real<64, 64>) -> !xf.real<n, 64>
  xf.return %y, %z, %b : !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>
}

// -----

// Not on tensor cores: rows that are not rounded, fewer columns than a panel, sums of
// part of a step, a family of matrices, weights of another format.
// CHECK-NOT: tiles = 1
// CHECK-NOT: #xf.storage<bf16, <32, 2>>
// OTHER: xf.kernel @exact(
xf.stored @W : !xf.real<64, 64> from "W" in bf16 as <([64:64], [64:1])>
xf.stored @V : !xf.real<64, 16> from "V" in bf16 as <([64:16], [16:1])>
xf.stored @U : !xf.real<72, 64> from "U" in bf16 as <([72:64], [64:1])>
xf.stored @F : !xf.real<4, 64, 64> from "F" in bf16 as <([4:4096], [64:64], [64:1])>
xf.stored @S : !xf.real<64, 64> from "S" as <([64:64], [64:1])>
xf.kernel @exact(%x: !xf.real<n, 64>, %W: !xf.real<64, 64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %1 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %1 : !xf.real<n, 64>
}
xf.kernel @narrow(%x: !xf.real<n, 64>, %W: !xf.real<64, 16>) -> !xf.real<n, 16>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <n, 64>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 16>
  xf.return %1 : !xf.real<n, 16>
}
xf.kernel @odd(%x: !xf.real<n, 72>, %W: !xf.real<72, 64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <n, 72>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 72>, <72, 64>
  xf.return %1 : !xf.real<n, 64>
}
xf.kernel @family(%x: !xf.real<4, n, 64>, %W: !xf.real<4, 64, 64>) -> !xf.real<4, n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <4, n, 64>
  %1 = xf.contract %0[i, n, k], %W[i, k, c] -> [i, n, c] : <4, n, 64>, <4, 64, 64>
  xf.return %1 : !xf.real<4, n, 64>
}
xf.kernel @single(%x: !xf.real<n, 64>, %W: !xf.real<64, 64>) -> !xf.real<n, 64>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.round %x to bf16 : <n, 64>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %1 : !xf.real<n, 64>
}
xf.entry @run(%x: !xf.real<n, 64>, %u: !xf.real<n, 72>, %f: !xf.real<4, n, 64>)
    -> (!xf.real<n, 64>, !xf.real<n, 16>, !xf.real<n, 64>, !xf.real<4, n, 64>, !xf.real<n, 64>) {
  %W = xf.weight @W : <64, 64>
  %V = xf.weight @V : <64, 16>
  %U = xf.weight @U : <72, 64>
  %F = xf.weight @F : <4, 64, 64>
  %S = xf.weight @S : <64, 64>
  %a = xf.launch @exact(%x, %W) : (!xf.real<n, 64>, !xf.real<64, 64>) -> !xf.real<n, 64>
  %b = xf.launch @narrow(%x, %V) : (!xf.real<n, 64>, !xf.real<64, 16>) -> !xf.real<n, 16>
  %c = xf.launch @odd(%u, %U) : (!xf.real<n, 72>, !xf.real<72, 64>) -> !xf.real<n, 64>
  %d = xf.launch @family(%f, %F) : (!xf.real<4, n, 64>, !xf.real<4, 64, 64>) -> !xf.real<4, n, 64>
  %e = xf.launch @single(%x, %S) : (!xf.real<n, 64>, !xf.real<64, 64>) -> !xf.real<n, 64>
  xf.return %a, %b, %c, %d, %e : !xf.real<n, 64>, !xf.real<n, 16>, !xf.real<n, 64>, !xf.real<4, n, 64>, !xf.real<n, 64>
}
