// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-merge-heads -split-input-file | FileCheck %s

// Queries are already contiguous; keys and values are repeated. A table is defined for
// the index of the head, and the result is split into the families again.
// CHECK-LABEL: xf.entry @grouped
// CHECK-DAG: %[[Q:.*]] = xf.rearrange %{{.*}}[(a b), {{.*}}] : <2, 3, n, 8> -> <6, n, 8>
// CHECK-DAG: xf.repeat %{{.*}} axis 0 times 3 : <2, n, 8>
// CHECK: %[[S:.*]] = xf.contract %[[Q]][{{.*}} : <6, n, 8>, <6, n, 8>
// CHECK: xf.tabulate "[a, i, j] = (a div 3 + a mod 3) * (j - i)"() : () -> !xf.real<6, n, n>
// CHECK: xf.softmax %{{.*}} : <6, n, n>
// CHECK: %[[H:.*]] = xf.contract {{.*}} : <6, n, n>, <6, n, 8>
// CHECK: xf.rearrange %[[H]]{{.*}} : <6, n, 8> -> <2, 3, n, 8>
xf.entry @grouped(%q: !xf.real<2, 3, n, 8>, %k: !xf.real<2, n, 8>) -> !xf.real<2, 3, n, 8> {
  %s = xf.contract %q[a, b, r, k], %k[a, c, k] -> [a, b, r, c] : <2, 3, n, 8>, <2, n, 8>
  %t = xf.tabulate "[a, b, i, j] = (a + b) * (j - i)"() : () -> !xf.real<2, 3, n, n>
  %u = xf.add %s[a, b, r, c], %t[a, b, r, c] -> [a, b, r, c] : <2, 3, n, n>, <2, 3, n, n>
  %p = xf.softmax %u : <2, 3, n, n>
  %h = xf.contract %p[a, b, r, c], %k[a, c, e] -> [a, b, r, e] : <2, 3, n, n>, <2, n, 8>
  xf.return %h : !xf.real<2, 3, n, 8>
}

// -----

// Kernels support one family.
// CHECK-LABEL: xf.entry @heads
// CHECK-NOT: rearrange
xf.entry @heads(%q: !xf.real<2, n, 8>) -> !xf.real<2, n, 8> {
  %s = xf.contract %q[a, r, k], %q[a, c, k] -> [a, r, c] : <2, n, 8>, <2, n, 8>
  %p = xf.softmax %s : <2, n, n>
  %h = xf.contract %p[a, r, c], %q[a, c, e] -> [a, r, e] : <2, n, n>, <2, n, 8>
  xf.return %h : !xf.real<2, n, 8>
}

// -----

// Values have a family that scores do not have: the products are unchanged.
// CHECK-LABEL: xf.entry @more
// CHECK-NOT: rearrange
xf.entry @more(%q: !xf.real<2, 3, n, 8>, %v: !xf.real<4, n, 8>) -> !xf.real<2, 3, 4, n, 8> {
  %s = xf.contract %q[a, b, r, k], %q[a, b, c, k] -> [a, b, r, c] : <2, 3, n, 8>, <2, 3, n, 8>
  %p = xf.softmax %s : <2, 3, n, n>
  %h = xf.contract %p[a, b, r, c], %v[d, c, e] -> [a, b, d, r, e] : <2, 3, n, n>, <4, n, 8>
  xf.return %h : !xf.real<2, 3, 4, n, 8>
}
