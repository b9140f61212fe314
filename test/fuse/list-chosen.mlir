// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-list-chosen | FileCheck %s
// RUN: %transfold-opt %s -xf-list-chosen -xf-merge-families -cse -xf-form-kernels | FileCheck %s --check-prefix=KERNELS
// Experts on a device get lists of the rows that chose them.

xf.stored @W : !xf.real<4, 8, 6> from "W" as <([4:48], [8:6], [6:1])>
xf.stored @V : !xf.real<4, 8, 6> from "V" as <([4:48], [8:6], [6:1])>
xf.stored @U : !xf.real<4, 6, 8> from "U" as <([4:48], [6:8], [8:1])>
xf.stored @b : !xf.real<4, 8> from "b" as <([4:8], [8:1])>

// Rows pass through all operations that treat them independently; each product
// is marked as not read past the end of a list.
// CHECK-LABEL: xf.entry @experts
// CHECK: %[[G:.*]] = xf.softmax %arg1 among
// CHECK: %[[R:.*]] = xf.running_count %[[G]] : <n, 4>
// CHECK: %[[L:.*]] = xf.build_row_index %[[R]] : <n, 4>
// CHECK: %[[X:.*]] = xf.gather_rows %arg0 by %[[L]] : <n, 8>, <4, n>
// CHECK: %[[A:.*]] = xf.contract %[[X]][e, n, k], %{{.*}}[e, k, c] -> [e, n, c] : <4, n, 8>, <4, 8, 6>
// CHECK: %[[AL:.*]] = xf.bounded_by %[[A]] by %[[L]] : <4, n, 6>, <4, n>
// CHECK: %[[S:.*]] = xf.sigmoid %[[AL]] : <4, n, 6>
// CHECK: xf.gather_rows %arg0
// CHECK: %[[B:.*]] = xf.contract
// CHECK: %[[BL:.*]] = xf.bounded_by %[[B]] by %[[L]]
// CHECK: %[[P:.*]] = xf.multiply %[[S]][e, n, c], %[[BL]][e, n, c]
// CHECK: %[[Y:.*]] = xf.contract %[[P]][e, n, k], %{{.*}}[e, k, c] -> [e, n, c] : <4, n, 6>, <4, 6, 8>
// CHECK: %[[YL:.*]] = xf.bounded_by %[[Y]] by %[[L]]
// CHECK: %[[Z:.*]] = xf.add %[[YL]][e, n, c], %{{.*}}[e, c]
// CHECK: %[[T:.*]] = xf.scatter_add %[[Z]] by %[[R]] times %[[G]] : <4, n, 8>, <n, 4>
// CHECK-NOT: xf.sum %
// CHECK: xf.return %[[T]]

// One launch for all experts, which reads rows in place.
// KERNELS-LABEL: xf.entry @experts
// KERNELS: %[[R:.*]] = xf.launch @running_count(
// KERNELS: %[[L:.*]] = xf.launch @build_row_index(%[[R]])
// KERNELS: xf.launch @gather_rows_contract_bounded_by{{.*}}(%arg0, %[[L]],
// KERNELS: xf.launch @gather_rows_contract_bounded_by{{.*}}(%arg0, %[[L]],
// KERNELS: xf.launch @contract_bounded_by_add(
// KERNELS: xf.launch @scatter_add(
// KERNELS-NOT: xf.launch
// KERNELS: xf.return
xf.entry @experts(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <4, 8, 6>
  %V = xf.weight @V : <4, 8, 6>
  %U = xf.weight @U : <4, 6, 8>
  %b = xf.weight @b : <4, 8>
  %a = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %s = xf.sigmoid %a : <4, n, 6>
  %v = xf.contract %x[n, k], %V[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %p = xf.multiply %s[e, n, c], %v[e, n, c] -> [e, n, c] : <4, n, 6>, <4, n, 6>
  %y = xf.contract %p[e, n, k], %U[e, k, c] -> [e, n, c] : <4, n, 6>, <4, 6, 8>
  %yb = xf.add %y[e, n, c], %b[e, c] -> [e, n, c] : <4, n, 8>, <4, 8>
  %t = xf.topk_mask 2 of %z : <n, 4>
  %G = xf.softmax %z among %t : <n, 4>
  %w = xf.multiply %G[n, e], %yb[e, n, c] -> [e, n, c] : <n, 4>, <4, n, 8>
  %r = xf.sum %w over 0 : <4, n, 8>
  xf.return %r : !xf.real<n, 8>
}

// Weights that were divided by their sum of a row lie by experts.
// CHECK-LABEL: xf.entry @normalized
// CHECK: %[[D:.*]] = xf.divide
// CHECK: %[[G:.*]] = xf.rearrange %[[D]][e, n] -> [n, e] : <4, n> -> <n, 4>
// CHECK: %[[R:.*]] = xf.running_count %[[G]] : <n, 4>
// CHECK: xf.scatter_add %{{.*}} by %[[R]] times %[[G]] : <4, n, 6>, <n, 4>
xf.entry @normalized(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <4, 8, 6>
  %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %t = xf.topk_mask 2 of %z : <n, 4>
  %T = xf.multiply %z[n, e], %t[n, e] -> [n, e] : <n, 4>, <n, 4>
  %sum = xf.sum %T over 1 : <n, 4>
  %G = xf.divide %T[n, e], %sum[n] -> [e, n] : <n, 4>, <n>
  %w = xf.multiply %G[e, n], %y[e, n, c] -> [e, n, c] : <4, n>, <4, n, 6>
  %r = xf.sum %w over 0 : <4, n, 6>
  xf.return %r : !xf.real<n, 6>
}

// Rows that are rounded for a product are rounded after they are listed.
// CHECK-LABEL: xf.entry @rounded
// CHECK: %[[X:.*]] = xf.gather_rows %arg0
// CHECK: %[[Q:.*]] = xf.round %[[X]] to bf16 : <4, n, 8>
// CHECK: xf.contract %[[Q]][e, n, k]
// KERNELS-LABEL: xf.entry @rounded
// KERNELS: xf.launch @gather_rows_round_contract_bounded_by(%arg0,
xf.entry @rounded(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <4, 8, 6>
  %q = xf.round %x to bf16 : <n, 8>
  %G = xf.topk_mask 2 of %z : <n, 4>
  %a = xf.contract %q[n, k], %W[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %w = xf.multiply %a[e, n, c], %G[n, e] -> [e, n, c] : <4, n, 6>, <n, 4>
  %r = xf.sum %w over 0 : <4, n, 6>
  xf.return %r : !xf.real<n, 6>
}

// There is no choice: the weights of a softmax are small, but not zero.
// CHECK-LABEL: xf.entry @dense
// CHECK-NOT: xf.build_row_index
// CHECK: xf.sum %
xf.entry @dense(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <4, 8, 6>
  %G = xf.softmax %z : <n, 4>
  %a = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %w = xf.multiply %a[e, n, c], %G[n, e] -> [e, n, c] : <4, n, 6>, <n, 4>
  %r = xf.sum %w over 0 : <4, n, 6>
  xf.return %r : !xf.real<n, 6>
}

// No lists if rows of a member depend on each other, another operation reads them, or
// they are multiplied by a scalar of their sequence: lists contain rows of all sequences.
// CHECK-LABEL: xf.entry @mixed
// CHECK-NOT: xf.build_row_index
// CHECK: xf.return
xf.entry @mixed(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> (!xf.real<n, 6>, !xf.real<n, 6>, !xf.real<n, 6>, !xf.real<4, n, 6>) {
  %W = xf.weight @W : <4, 8, 6>
  %G = xf.topk_mask 2 of %z : <n, 4>
  %a = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %m = xf.mean %a over 1 : <4, n, 6>
  %d = xf.subtract %a[e, n, c], %m[e, c] -> [e, n, c] : <4, n, 6>, <4, 6>
  %w = xf.multiply %d[e, n, c], %G[n, e] -> [e, n, c] : <4, n, 6>, <n, 4>
  %r = xf.sum %w over 0 : <4, n, 6>
  %V = xf.weight @V : <4, 8, 6>
  %o = xf.contract %x[n, k], %V[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %v = xf.multiply %o[e, n, c], %G[n, e] -> [e, n, c] : <4, n, 6>, <n, 4>
  %q = xf.sum %v over 0 : <4, n, 6>
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %l = xf.contract %x[n, k], %V[e, k, c] -> [e, n, c] : <n, 8>, <4, 8, 6>
  %s = xf.multiply %l[e, n, c], %n[] -> [e, n, c] : <4, n, 6>, <>
  %u = xf.multiply %s[e, n, c], %G[n, e] -> [e, n, c] : <4, n, 6>, <n, 4>
  %p = xf.sum %u over 0 : <4, n, 6>
  xf.return %r, %q, %p, %o : !xf.real<n, 6>, !xf.real<n, 6>, !xf.real<n, 6>, !xf.real<4, n, 6>
}
