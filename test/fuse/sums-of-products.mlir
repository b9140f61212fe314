// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-merge-families -split-input-file | FileCheck %s

// Σ_i head[i] @ W[i] is concat(head) @ W.
xf.stored @W : !xf.real<4, 12, 48> from "W" as <([4:576], [12:48], [48:1])>
// CHECK: xf.stored @W.merged : !xf.real<48, 48> from "W" as <([4:576, 12:48], [48:1])>
// CHECK-LABEL: xf.entry @joined
// CHECK: %[[Y:.*]] = xf.rearrange %{{.*}}[i, n, k] -> [n, (i k)] : <4, n, 12> -> <n, 48>
// CHECK: xf.contract %[[Y]][n, k], %{{.*}}[k, c] -> [n, c]
// CHECK-NOT: xf.sum
xf.entry @joined(%y: !xf.real<4, n, 12>) -> !xf.real<n, 48> {
  %W = xf.weight @W : <4, 12, 48>
  %z = xf.contract %y[i, n, k], %W[i, k, c] -> [i, n, c] : <4, n, 12>, <4, 12, 48>
  %s = xf.sum %z over 0 : <4, n, 48>
  xf.return %s : !xf.real<n, 48>
}

// -----

// A family that only one operand has: its members are summed.
xf.stored @W : !xf.real<4, 12, 48> from "W" as <([4:576], [12:48], [48:1])>
// CHECK-LABEL: xf.entry @shared
// CHECK: xf.sum
xf.entry @shared(%x: !xf.real<n, 12>) -> !xf.real<n, 48> {
  %W = xf.weight @W : <4, 12, 48>
  %z = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 12>, <4, 12, 48>
  %s = xf.sum %z over 0 : <4, n, 48>
  xf.return %s : !xf.real<n, 48>
}

// -----

// Another operation also reads it.
// CHECK-LABEL: xf.entry @twice
// CHECK: xf.sum
xf.entry @twice(%y: !xf.real<4, n, 12>, %W: !xf.real<4, 12, 48>) -> (!xf.real<n, 48>, !xf.real<4, n, 48>) {
  %z = xf.contract %y[i, n, k], %W[i, k, c] -> [i, n, c] : <4, n, 12>, <4, 12, 48>
  %s = xf.sum %z over 0 : <4, n, 48>
  xf.return %s, %z : !xf.real<n, 48>, !xf.real<4, n, 48>
}

// -----

// Members with separate weights are packed as matrices: rows, then columns.
xf.stored @W : !xf.real<4, 48, 12> from "W" as <([4:576], [48:12], [12:1])>
// CHECK: xf.stored @W.merged : !xf.real<4, 12, 48> from "W" as <([4:576], [12:1], [48:12])>
// CHECK-LABEL: xf.entry @ordered
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, k, c] -> [i, n, c] : <4, n, 12>, <4, 12, 48>
xf.entry @ordered(%y: !xf.real<4, n, 12>) -> !xf.real<4, n, 48> {
  %W = xf.weight @W : <4, 48, 12>
  %z = xf.contract %y[i, n, k], %W[i, c, k] -> [i, n, c] : <4, n, 12>, <4, 48, 12>
  xf.return %z : !xf.real<4, n, 48>
}
