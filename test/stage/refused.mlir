// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-derive-steps -split-input-file -verify-diagnostics
// Equations that need later rows cannot run step by step; the message names the operation and its place.

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %s = xf.contract %q[r, k], %q[c, k] -> [r, c] : <n, 8>, <n, 8>
  // expected-error @+1 {{'decode' cannot be computed step by step: this softmax lets a position see later ones}}
  %w = xf.softmax %s : <n, n>
  %y = xf.contract %w[r, k], %q[k, c] -> [r, c] : <n, n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %s = xf.contract %q[r, k], %q[c, k] -> [r, c] : <n, 8>, <n, 8>
  // expected-error @+1 {{this softmax lets a position see later ones}}
  %w = xf.softmax %s where [j - i <= 1] : <n, n>
  %y = xf.contract %w[r, k], %q[k, c] -> [r, c] : <n, n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{mean reads rows of the sequence other than its own}}
  %m = xf.mean %q over 0 : <n, 8>
  %y = xf.subtract %q[a, b], %m[b] -> [a, b] : <n, 8>, <8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{this product sums over all positions}}
  %m = xf.contract %q[r, k], %q[r, c] -> [k, c] : <n, 8>, <n, 8>
  %y = xf.contract %q[r, k], %m[k, c] -> [r, c] : <n, 8>, <8, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{unfold reads rows of the sequence other than its own}}
  %w = xf.unfold %q stride 1 pad 1 : <n, 8> -> <n, 3, 8>
  %y = xf.select %w axis 1 at 0 : <n, 3, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<8> {
  // expected-error @+1 {{select reads rows of the sequence other than its own}}
  %y = xf.select %q axis 0 at 0 : <n, 8>
  xf.return %y : !xf.real<8>
}

// -----

// The rows of the mask are not positions: row 3 of each position sees the keys 0 to 3.
xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %s = xf.multiply %q[t, i], %q[j, i] -> [t, i, j] : !xf.real<n, 4>, !xf.real<n, 4>
  // expected-error @+1 {{this softmax lets a position see later ones}}
  %w = xf.softmax %s where [j <= i] : <n, 4, n>
  %y = xf.contract %w[t, i, j], %q[j, i] -> [t, i] : <n, 4, n>, <n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<8, n> {
  %y = xf.rearrange %q[a, b] -> [b, a] : <n, 8> -> <8, n>
  // expected-error @+1 {{a result of the entry does not have one row for each position, on its first axis}}
  xf.return %y : !xf.real<8, n>
}

// -----

// An entry without the claim is unchanged.
xf.entry @encode(%t: !xf.integer<n>, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %s = xf.contract %q[r, k], %q[c, k] -> [r, c] : <n, 8>, <n, 8>
  %w = xf.softmax %s : <n, n>
  %y = xf.contract %w[r, k], %q[k, c] -> [r, c] : <n, n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{length reads rows of the sequence other than its own}}
  %n = xf.length %t axis 0 : !xf.integer<n>
  %y = xf.multiply %q[a, b], %n[] -> [a, b] : <n, 8>, <>
  xf.return %y : !xf.real<n, 8>
}

// -----

// Row t of a table reads row t - 1.
xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{this definition reads rows of the sequence other than its own}}
  %y = xf.tabulate "[t, c] = %0[clamp(t - 1, 0, 9), c] if t >= 1 else 0"(%q) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

// A score reads tokens of keys, which no cache holds.
xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{this definition reads rows of the sequence other than its own}}
  %b = xf.tabulate "[i, j] = %0[j]"(%t) : (!xf.integer<n>) -> !xf.real<n, n>
  %w = xf.softmax %b where [j <= i] : <n, n>
  %y = xf.contract %w[r, k], %q[k, c] -> [r, c] : <n, n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}
