// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s
// A value over pairs of positions is stored if an operation other than an
// attention reads it.

// CHECK-LABEL: xf.entry @scores
// CHECK: xf.launch @contract(%{{.*}}, %{{.*}}) : {{.*}} -> !xf.real<2, n, m>
xf.entry @scores(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  %S = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  xf.return %S : !xf.real<2, n, m>
}

// -----

// The softmax is read twice.
// CHECK-LABEL: xf.entry @twice
// CHECK: xf.launch @contract(
// CHECK: xf.launch @softmax(
// CHECK: xf.launch @contract_2(
// CHECK: xf.launch @max(
xf.entry @twice(%q: !xf.real<n, 4>) -> (!xf.real<n, 4>, !xf.real<n>) {
  %S = xf.contract %q[n, c], %q[m, c] -> [n, m] : <n, 4>, <n, 4>
  %w = xf.softmax %S : <n, n>
  %h = xf.contract %w[n, m], %q[m, c] -> [n, c] : <n, n>, <n, 4>
  %s = xf.max %w over 1 : <n, n>
  xf.return %h, %s : !xf.real<n, 4>, !xf.real<n>
}

// -----

// The values are summed over the queries.
// CHECK-LABEL: xf.entry @columns
// CHECK: xf.launch @softmax(%{{.*}}) : {{.*}} -> !xf.real<n, n>
xf.entry @columns(%q: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %S = xf.contract %q[n, c], %q[m, c] -> [n, m] : <n, 4>, <n, 4>
  %w = xf.softmax %S : <n, n>
  %h = xf.contract %w[n, m], %q[n, c] -> [m, c] : <n, n>, <n, 4>
  xf.return %h : !xf.real<n, 4>
}

// -----

// A bias by position is computed where it is added, also outside an attention.
// CHECK-LABEL: xf.entry @biased
// CHECK-NOT: xf.launch @tabulate
// CHECK: xf.launch @contract_tabulate_add(
xf.entry @biased(%q: !xf.real<n, 4>) -> !xf.real<n, n> {
  %S = xf.contract %q[n, c], %q[m, c] -> [n, m] : <n, 4>, <n, 4>
  %B = xf.tabulate "[i, j] = i - j"() : () -> !xf.real<n, n>
  %r = xf.add %S[n, m], %B[n, m] -> [n, m] : <n, n>, <n, n>
  xf.return %r : !xf.real<n, n>
}

// -----

// An operation that transposes a product is not part of its epilogue.
// CHECK-LABEL: xf.entry @exchanged
// CHECK: xf.launch @contract(
// CHECK: xf.launch @add(
xf.entry @exchanged(%x: !xf.real<n, 4>, %s: !xf.real<n, n>) -> !xf.real<n, n> {
  %S = xf.contract %x[n, c], %x[m, c] -> [n, m] : <n, 4>, <n, 4>
  %r = xf.add %S[n, m], %s[m, n] -> [m, n] : <n, n>, <n, n>
  xf.return %r : !xf.real<n, n>
}
