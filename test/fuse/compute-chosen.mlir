// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-compute-chosen | FileCheck %s
// RUN: %transfold-opt %s -xf-compute-chosen -xf-form-kernels | FileCheck %s --check-prefix=KERNELS
// Rows that are multiplied by zero are not computed: rows that did not choose an expert.

xf.stored @W : !xf.real<8, 6> from "W" as <([8:6], [6:1])>
xf.stored @V : !xf.real<8, 6> from "V" as <([8:6], [6:1])>

// The chosen rows of %x pass through all operations that treat rows independently.
// CHECK-LABEL: xf.entry @experts
// CHECK: %[[G:.*]] = xf.select %{{.*}} axis 1 at 0 : <n, 4>
// CHECK: %[[R:.*]] = xf.running_count %[[G]] : <n>
// CHECK: %[[X:.*]] = xf.compress %arg0 by %[[R]] : <n, 8>, <n> -> <chosen0, 8>
// CHECK: %[[A:.*]] = xf.contract %[[X]][n, k], %{{.*}}[k, c] -> [n, c] : <chosen0, 8>, <8, 6>
// CHECK: %[[S:.*]] = xf.sigmoid %[[A]] : <chosen0, 6>
// CHECK: %[[P:.*]] = xf.expand %[[S]] by %[[R]] : <chosen0, 6>, <n>
// CHECK: xf.multiply %[[G]][n], %[[P]][n, c] -> [n, c]
// CHECK: xf.running_count
// CHECK: xf.compress %arg0 by %{{.*}} : <n, 8>, <n> -> <chosen1, 8>

// The ranks are in memory before rows are gathered, and give their number. What
// is the same for both experts is one kernel, and the rows of one expert are
// scattered back before those of the next are computed.
// KERNELS-LABEL: xf.entry @experts
// KERNELS: %[[R:.*]] = xf.launch @running_count(
// KERNELS: %[[X:.*]] = xf.launch @compress(%arg0, %[[R]]) {counted_by = 1 : i64} : (!xf.real<n, 8>, !xf.real<n>) -> !xf.real<chosen0, 8>
// KERNELS: xf.launch @contract_sigmoid(%[[X]],
// KERNELS: xf.launch @expand_multiply(
// KERNELS: xf.launch @compress(
// KERNELS: xf.launch @contract_sigmoid(
// KERNELS: xf.launch @expand_multiply_add(
xf.entry @experts(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %p = xf.multiply %z[n, e], %t[n, e] -> [n, e] : <n, 4>, <n, 4>
  %s = xf.sum %p over 1 : <n, 4>
  %G = xf.divide %p[n, e], %s[n] -> [n, e] : <n, 4>, <n>
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %g0 = xf.select %G axis 1 at 0 : <n, 4>
  %a0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %h0 = xf.sigmoid %a0 : <n, 6>
  %y0 = xf.multiply %g0[n], %h0[n, c] -> [n, c] : <n>, <n, 6>
  %g1 = xf.select %G axis 1 at 1 : <n, 4>
  %a1 = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %h1 = xf.sigmoid %a1 : <n, 6>
  %y1 = xf.multiply %h1[n, c], %g1[n] -> [n, c] : <n, 6>, <n>
  %y = xf.add %y0[n, c], %y1[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}

// There is no choice: the weights of a softmax are small, but not zero.
// CHECK-LABEL: xf.entry @weighed
// CHECK-NOT: xf.compress
xf.entry @weighed(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %G = xf.softmax %z : <n, 4>
  %W = xf.weight @W : <8, 6>
  %g = xf.select %G axis 1 at 0 : <n, 4>
  %a = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}

// Another operation reads all rows.
// CHECK-LABEL: xf.entry @read
// CHECK-NOT: xf.compress
xf.entry @read(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> (!xf.real<n, 6>, !xf.real<n, 6>) {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %W = xf.weight @W : <8, 6>
  %g = xf.select %t axis 1 at 0 : <n, 4>
  %a = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 6>
  xf.return %y, %a : !xf.real<n, 6>, !xf.real<n, 6>
}

// A sum over keys needs the rows that were not chosen; only the operations
// after it do not.
// CHECK-LABEL: xf.entry @attention
// CHECK: %[[S:.*]] = xf.softmax
// CHECK: %[[H:.*]] = xf.contract %[[S]][i, j], %arg0[j, c] -> [i, c]
// CHECK: xf.compress %[[H]] by
// CHECK: xf.contract %{{.*}}[n, k], %{{.*}}[k, c] -> [n, c] : <chosen0, 8>
xf.entry @attention(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %W = xf.weight @W : <8, 6>
  %g = xf.select %t axis 1 at 0 : <n, 4>
  %s = xf.contract %x[i, k], %x[j, k] -> [i, j] : <n, 8>, <n, 8>
  %S = xf.softmax %s : <n, n>
  %h = xf.contract %S[i, j], %x[j, c] -> [i, c] : <n, n>, <n, 8>
  %a = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}

// A mask over a constant number of keys needs the position of the row.
// CHECK-LABEL: xf.entry @positions
// CHECK: %[[P:.*]] = xf.softmax %arg0 where [j <= i] : <n, 8>
// CHECK: xf.compress %[[P]] by
// CHECK: xf.contract %{{.*}}[n, k], %{{.*}}[k, c] -> [n, c] : <chosen0, 8>
xf.entry @positions(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %W = xf.weight @W : <8, 6>
  %g = xf.select %t axis 1 at 0 : <n, 4>
  %p = xf.softmax %x where [j <= i] : <n, 8>
  %a = xf.contract %p[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}

// A softmax over chosen scores is zero for the others.
// CHECK-LABEL: xf.entry @among
// CHECK: xf.compress %arg0 by
xf.entry @among(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 6> {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %G = xf.softmax %z among %t : <n, 4>
  %W = xf.weight @W : <8, 6>
  %g = xf.select %G axis 1 at 0 : <n, 4>
  %a = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}

// The saved work is too cheap.
// CHECK-LABEL: xf.entry @cheap
// CHECK-NOT: xf.compress
xf.entry @cheap(%x: !xf.real<n, 8>, %z: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %t = xf.topk_mask 2 of %z : <n, 4>
  %g = xf.select %t axis 1 at 0 : <n, 4>
  %a = xf.relu %x : <n, 8>
  %y = xf.multiply %g[n], %a[n, c] -> [n, c] : <n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}
