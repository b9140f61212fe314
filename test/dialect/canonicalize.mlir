// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -canonicalize | FileCheck %s
// Operations that equal one of their operands, bit for bit; and similar ones that do not.

// CHECK-LABEL: xf.entry @gone(
// CHECK-SAME: %[[X:.*]]: !xf.real<n, 12>)
// CHECK-NEXT: xf.return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
xf.entry @gone(%x: !xf.real<n, 12>) -> (!xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>) {
  %a = xf.negate %x : <n, 12>
  %b = xf.negate %a : <n, 12>
  %c = xf.scale %x by <"1"> "s" : <n, 12>
  %d = xf.repeat %x axis 1 times 1 : <n, 12>
  %e = xf.rearrange %x[n, c] -> [n, c] : <n, 12> -> <n, 12>
  %f = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 12> -> <3, n, 4>
  %g = xf.rearrange %f[a, b, c] -> [b, (a c)] : <3, n, 4> -> <n, 12>
  xf.return %b, %c, %d, %e, %g : !xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>, !xf.real<n, 12>
}

// CHECK-LABEL: xf.entry @rounded
// CHECK: %[[A:.*]] = xf.round %{{.*}} to bf16
// CHECK-NEXT: %[[B:.*]] = xf.round %[[A]] to f16
// CHECK-NEXT: xf.return %[[A]], %[[B]]
xf.entry @rounded(%x: !xf.real<n, 12>) -> (!xf.real<n, 12>, !xf.real<n, 12>) {
  %a = xf.round %x to bf16 : <n, 12>
  %b = xf.round %a to bf16 : <n, 12>
  %c = xf.round %a to f16 : <n, 12>
  xf.return %b, %c : !xf.real<n, 12>, !xf.real<n, 12>
}

// CHECK-LABEL: xf.entry @stays
// CHECK: xf.scale
// CHECK: xf.repeat
// CHECK: xf.rearrange
// CHECK: xf.rearrange
// CHECK: xf.rearrange
xf.entry @stays(%x: !xf.real<4, 4>) -> (!xf.real<4, 4>, !xf.real<8, 4>, !xf.real<4, 4>, !xf.real<4, 4>) {
  %a = xf.scale %x by <"-1"> "s" : <4, 4>
  %b = xf.repeat %x axis 0 times 2 : <4, 4>
  // A square matrix, transposed, has the same type.
  %c = xf.rearrange %x[a, b] -> [b, a] : <4, 4> -> <4, 4>
  // Columns become members, which are then read in another order.
  %d = xf.rearrange %x[n, (i c)] -> [i, n, c] : <4, 4> -> <2, 4, 2>
  %e = xf.rearrange %d[i, n, c] -> [n, (c i)] : <2, 4, 2> -> <4, 4>
  xf.return %a, %b, %c, %e : !xf.real<4, 4>, !xf.real<8, 4>, !xf.real<4, 4>, !xf.real<4, 4>
}
