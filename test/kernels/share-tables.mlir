// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64' -split-input-file --mlir-print-local-scope | FileCheck %s

// A table that is also a head is read from the panels of the head.
// CHECK-LABEL: xf.entry @tied
// CHECK: %[[W:.*]] = xf.weight @E.T : <64, 160>
// CHECK: xf.launch @gather(%[[W]], %arg0)
// CHECK-LABEL: xf.kernel @gather
// CHECK-SAME: (%[[T:.*]]: !xf.real<64, 160> {xf.storage = #xf.storage<bf16, <32, 2>>}, %{{.*}}: !xf.integer<n>)
// CHECK: %[[E:.*]] = xf.rearrange %[[T]][a, b] -> [b, a] : <64, 160> -> <160, 64>
// CHECK: xf.gather %[[E]]
xf.stored @E : !xf.real<160, 64> from "e" in bf16 as <([160:64], [64:1])>
xf.stored @E.T : !xf.real<64, 160> from "e" in bf16 as <([64:1], [160:64])>
xf.entry @tied(%t: !xf.integer<n>) -> !xf.real<n, 160> {
  %e = xf.weight @E : <160, 64>
  %x = xf.launch @gather(%e, %t) : (!xf.real<160, 64>, !xf.integer<n>) -> !xf.real<n, 64>
  %w = xf.weight @E.T : <64, 160>
  %y = xf.launch @head(%x, %w) : (!xf.real<n, 64>, !xf.real<64, 160>) -> !xf.real<n, 160>
  xf.return %y : !xf.real<n, 160>
}
xf.kernel @gather(%E: !xf.real<160, 64>, %t: !xf.integer<n>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <160, 64>, <n>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @head(%x: !xf.real<n, 64>, %W: !xf.real<64, 160>) -> !xf.real<n, 160> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 160>
  xf.return %0 : !xf.real<n, 160>
}

// -----

// With another factor it is another table.
// CHECK-LABEL: xf.kernel @gather
// CHECK-SAME: !xf.real<160, 64>, %
xf.stored @E : !xf.real<160, 64> from "e" as <([160:64], [64:1])> times [<"8">]
xf.stored @E.T : !xf.real<64, 160> from "e" as <([64:1], [160:64])>
xf.entry @scaled(%t: !xf.integer<n>) -> !xf.real<n, 160> {
  %e = xf.weight @E : <160, 64>
  %x = xf.launch @gather(%e, %t) : (!xf.real<160, 64>, !xf.integer<n>) -> !xf.real<n, 64>
  %w = xf.weight @E.T : <64, 160>
  %y = xf.launch @head(%x, %w) : (!xf.real<n, 64>, !xf.real<64, 160>) -> !xf.real<n, 160>
  xf.return %y : !xf.real<n, 160>
}
xf.kernel @gather(%E: !xf.real<160, 64>, %t: !xf.integer<n>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <160, 64>, <n>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @head(%x: !xf.real<n, 64>, %W: !xf.real<64, 160>) -> !xf.real<n, 160> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 160>
  xf.return %0 : !xf.real<n, 160>
}

// -----

// A kernel that is also launched with another table keeps its rows; so does a
// table that is read in another way than by gather.
// CHECK-LABEL: xf.kernel @gather
// CHECK-SAME: !xf.real<160, 64>, %
// CHECK-LABEL: xf.kernel @sum
// CHECK-SAME: (%{{.*}}: !xf.real<160, 64>)
xf.stored @E : !xf.real<160, 64> from "e" as <([160:64], [64:1])>
xf.stored @F : !xf.real<160, 64> from "f" as <([160:64], [64:1])>
xf.stored @E.T : !xf.real<64, 160> from "e" as <([64:1], [160:64])>
xf.entry @two(%t: !xf.integer<n>) -> (!xf.real<n, 160>, !xf.real<n, 64>, !xf.real<64>) {
  %e = xf.weight @E : <160, 64>
  %f = xf.weight @F : <160, 64>
  %x = xf.launch @gather(%e, %t) : (!xf.real<160, 64>, !xf.integer<n>) -> !xf.real<n, 64>
  %z = xf.launch @gather(%f, %t) : (!xf.real<160, 64>, !xf.integer<n>) -> !xf.real<n, 64>
  %s = xf.launch @sum(%e) : (!xf.real<160, 64>) -> !xf.real<64>
  %w = xf.weight @E.T : <64, 160>
  %y = xf.launch @head(%x, %w) : (!xf.real<n, 64>, !xf.real<64, 160>) -> !xf.real<n, 160>
  xf.return %y, %z, %s : !xf.real<n, 160>, !xf.real<n, 64>, !xf.real<64>
}
xf.kernel @gather(%E: !xf.real<160, 64>, %t: !xf.integer<n>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <160, 64>, <n>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @sum(%E: !xf.real<160, 64>) -> !xf.real<64> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.sum %E over 0 : <160, 64>
  xf.return %0 : !xf.real<64>
}
xf.kernel @head(%x: !xf.real<n, 64>, %W: !xf.real<64, 160>) -> !xf.real<n, 160> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 160>
  xf.return %0 : !xf.real<n, 160>
}
