// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-assign-schedules='target=avx2' -split-input-file -verify-diagnostics
// A kernel with an attention as its anchor has the three steps of an attention.

// expected-error @+1 {{attention is two products around a softmax}}
xf.kernel @no_softmax(%q: !xf.real<2, n, 16>, %k: !xf.real<2, m, 16>, %v: !xf.real<2, m, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 16>, <2, m, 16>
  %1 = xf.contract %0[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  xf.return %1 : !xf.real<2, n, 16>
}

// -----

// The softmax does not read the scores.
// expected-error @+1 {{attention is two products around a softmax}}
xf.kernel @no_scores(%s: !xf.real<2, n, m>, %v: !xf.real<2, m, 16>, %w: !xf.real<16, 16>) -> !xf.real<2, n, 16>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.softmax %s : <2, n, m>
  %1 = xf.contract %0[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 16>
  %2 = xf.contract %1[i, n, c], %w[c, d] -> [i, n, d] : <2, n, 16>, <16, 16>
  xf.return %2 : !xf.real<2, n, 16>
}
