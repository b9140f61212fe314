// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -verify-diagnostics -split-input-file
// A value over every pair of positions is never stored: the message says where
// one would be.

xf.entry @scores(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>) -> !xf.real<2, n, m> {
  // expected-error @+1 {{a value over every pair of positions, '!xf.real<2, n, m>', would be stored; no attention was recognised around it}}
  %S = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  xf.return %S : !xf.real<2, n, m>
}

// -----

// The softmax is read twice.
xf.entry @twice(%q: !xf.real<n, 4>) -> (!xf.real<n, 4>, !xf.real<n>) {
  // expected-error @+1 {{would be stored}}
  %S = xf.contract %q[n, c], %q[m, c] -> [n, m] : <n, 4>, <n, 4>
  %w = xf.softmax %S : <n, n>
  %h = xf.contract %w[n, m], %q[m, c] -> [n, c] : <n, n>, <n, 4>
  %s = xf.max %w over 1 : <n, n>
  xf.return %h, %s : !xf.real<n, 4>, !xf.real<n>
}

// -----

// The values are summed over the queries.
xf.entry @columns(%q: !xf.real<n, 4>) -> !xf.real<n, 4> {
  // expected-error @+1 {{would be stored}}
  %S = xf.contract %q[n, c], %q[m, c] -> [n, m] : <n, 4>, <n, 4>
  %w = xf.softmax %S : <n, n>
  %h = xf.contract %w[n, m], %q[n, c] -> [m, c] : <n, n>, <n, 4>
  xf.return %h : !xf.real<n, 4>
}
