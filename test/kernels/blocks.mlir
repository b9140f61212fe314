// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64' -split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: %transfold-opt %s -xf-choose-storage='target=opencl' -split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=GPU

// Weights keep their blocks if these are along the summed axis; a panel has 32
// columns of blocks. The same holds on a device.
// CHECK-LABEL: xf.kernel @contract
// CHECK-SAME: !xf.real<256, 96> {xf.storage = #xf.storage<q4_k, <32>>}
// GPU-LABEL: xf.kernel @contract
// GPU-SAME: !xf.real<256, 96> {xf.storage = #xf.storage<q4_k, <32>>}
xf.stored @W : !xf.real<256, 96> from "w" in q4_k as <([256:1], [96:256])>
xf.entry @kept(%x: !xf.real<n, 256>) -> !xf.real<n, 96> {
  %w = xf.weight @W : <256, 96>
  %y = xf.launch @contract(%x, %w) : (!xf.real<n, 256>, !xf.real<256, 96>) -> !xf.real<n, 96>
  xf.return %y : !xf.real<n, 96>
}
xf.kernel @contract(%x: !xf.real<n, 256>, %W: !xf.real<256, 96>) -> !xf.real<n, 96> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 256>, <256, 96>
  xf.return %0 : !xf.real<n, 96>
}

// -----

// Blocks across the summed axis cannot be read as one stream, nor can weights
// that are multiplied by a factor.
// CHECK-LABEL: xf.kernel @across
// CHECK-SAME: !xf.real<96, 256> {xf.storage = #xf.storage<f32, <32>>}
// CHECK-LABEL: xf.kernel @scaled
// CHECK-SAME: !xf.real<256, 96> {xf.storage = #xf.storage<f32, <32>>}
xf.stored @W : !xf.real<96, 256> from "w" in q8_0 as <([96:256], [256:1])>
xf.stored @V : !xf.real<256, 96> from "v" in q8_0 as <([256:1], [96:256])> times [<"3">]
xf.entry @not_kept(%x: !xf.real<n, 96>) -> !xf.real<n, 96> {
  %w = xf.weight @W : <96, 256>
  %y = xf.launch @across(%x, %w) : (!xf.real<n, 96>, !xf.real<96, 256>) -> !xf.real<n, 256>
  %v = xf.weight @V : <256, 96>
  %z = xf.launch @scaled(%y, %v) : (!xf.real<n, 256>, !xf.real<256, 96>) -> !xf.real<n, 96>
  xf.return %z : !xf.real<n, 96>
}
xf.kernel @across(%x: !xf.real<n, 96>, %W: !xf.real<96, 256>) -> !xf.real<n, 256> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 96>, <96, 256>
  xf.return %0 : !xf.real<n, 256>
}
xf.kernel @scaled(%x: !xf.real<n, 256>, %W: !xf.real<256, 96>) -> !xf.real<n, 96> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 256>, <256, 96>
  xf.return %0 : !xf.real<n, 96>
}

// -----

// One kernel whose launches pass two formats becomes two.
// CHECK-LABEL: xf.entry @split
// CHECK: xf.launch @contract(%arg0,
// CHECK: xf.launch @contract_q6_k(
// CHECK-LABEL: xf.kernel @contract(
// CHECK-SAME: !xf.real<256, 256> {xf.storage = #xf.storage<q5_0, <32>>}
// CHECK-LABEL: xf.kernel @contract_q6_k(
// CHECK-SAME: !xf.real<256, 256> {xf.storage = #xf.storage<q6_k, <32>>}
xf.stored @W : !xf.real<256, 256> from "w" in q5_0 as <([256:1], [256:256])>
xf.stored @V : !xf.real<256, 256> from "v" in q6_k as <([256:1], [256:256])>
xf.entry @split(%x: !xf.real<n, 256>) -> !xf.real<n, 256> {
  %w = xf.weight @W : <256, 256>
  %y = xf.launch @contract(%x, %w) : (!xf.real<n, 256>, !xf.real<256, 256>) -> !xf.real<n, 256>
  %v = xf.weight @V : <256, 256>
  %z = xf.launch @contract(%y, %v) : (!xf.real<n, 256>, !xf.real<256, 256>) -> !xf.real<n, 256>
  xf.return %z : !xf.real<n, 256>
}
xf.kernel @contract(%x: !xf.real<n, 256>, %W: !xf.real<256, 256>) -> !xf.real<n, 256> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 256>, <256, 256>
  xf.return %0 : !xf.real<n, 256>
}

// -----

// A table in blocks that is also a head is read from the head's panels.
// CHECK-LABEL: xf.entry @tied
// CHECK: %[[W:.*]] = xf.weight @E.T : <256, 96>
// CHECK: xf.launch @gather(%[[W]], %arg0)
// CHECK-LABEL: xf.kernel @gather
// CHECK-SAME: (%{{.*}}: !xf.real<256, 96> {xf.storage = #xf.storage<q8_0, <32>>}, %{{.*}}: !xf.integer<n>)
xf.stored @E : !xf.real<96, 256> from "e" in q8_0 as <([96:256], [256:1])>
xf.stored @E.T : !xf.real<256, 96> from "e" in q8_0 as <([256:1], [96:256])>
xf.entry @tied(%t: !xf.integer<n>) -> !xf.real<n, 96> {
  %e = xf.weight @E : <96, 256>
  %x = xf.launch @gather(%e, %t) : (!xf.real<96, 256>, !xf.integer<n>) -> !xf.real<n, 256>
  %w = xf.weight @E.T : <256, 96>
  %y = xf.launch @head(%x, %w) : (!xf.real<n, 256>, !xf.real<256, 96>) -> !xf.real<n, 96>
  xf.return %y : !xf.real<n, 96>
}
xf.kernel @gather(%E: !xf.real<96, 256>, %t: !xf.integer<n>) -> !xf.real<n, 256> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <96, 256>, <n>
  xf.return %0 : !xf.real<n, 256>
}
xf.kernel @head(%x: !xf.real<n, 256>, %W: !xf.real<256, 96>) -> !xf.real<n, 96> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 256>, <256, 96>
  xf.return %0 : !xf.real<n, 96>
}

// -----

// One that is not a head is also stored in panels, also on a device.
// CHECK-LABEL: xf.kernel @rows
// CHECK-SAME: (%{{.*}}: !xf.real<256, 96> {xf.storage = #xf.storage<q8_0, <32>>}, %{{.*}}: !xf.integer<n>)
// GPU-LABEL: xf.kernel @rows
// GPU-SAME: (%{{.*}}: !xf.real<256, 96> {xf.storage = #xf.storage<q8_0, <32>>}, %{{.*}}: !xf.integer<n>)
xf.stored @E : !xf.real<96, 256> from "e" in q8_0 as <([96:256], [256:1])>
xf.entry @untied(%t: !xf.integer<n>) -> !xf.real<n, 256> {
  %e = xf.weight @E : <96, 256>
  %x = xf.launch @rows(%e, %t) : (!xf.real<96, 256>, !xf.integer<n>) -> !xf.real<n, 256>
  xf.return %x : !xf.real<n, 256>
}
xf.kernel @rows(%E: !xf.real<96, 256>, %t: !xf.integer<n>) -> !xf.real<n, 256> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <96, 256>, <n>
  xf.return %0 : !xf.real<n, 256>
}
