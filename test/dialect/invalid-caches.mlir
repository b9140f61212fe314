// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{must keep rows along at most one length, but '!xf.real<n, n>' has 2}}
xf.cache @c : !xf.real<n, n>

// -----

// expected-error @+1 {{must have a window of at least one position along a length}}
xf.cache @c : !xf.real<4> window 2

// -----

// expected-error @+1 {{must have a window of at least one position along a length}}
xf.cache @c : !xf.real<n, 4> window 0

// -----

// expected-error @+1 {{must keep single elements, but those of q8_0 share bytes}}
xf.cache @c : !xf.real<n, 64> in q8_0

// -----

xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  // expected-error @+1 {{no xf.cache is named @c}}
  xf.cache_write %x in @c : <n, 4>
  xf.return %x : !xf.real<n, 4>
}

// -----

xf.cache @c : !xf.real<n, 8>
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  // expected-error @+1 {{is of '!xf.real<n, 4>', but @c keeps '!xf.real<n, 8>'}}
  xf.cache_write %x in @c : <n, 4>
  xf.return %x : !xf.real<n, 4>
}

// -----

xf.cache @c[l = 2] : !xf.real<n, 8>
xf.entry @f(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  // expected-error @+1 {{has 0 indices, but @c has 1}}
  %y = xf.cache_read @c : <n.seen, 8>
  xf.return %x : !xf.real<n, 4>
}

// -----

xf.entry @f(%first: !xf.integer<>) -> !xf.real<4> {
  // expected-error @+1 {{begins at a position but has no axis with a length}}
  %t = xf.tabulate "[c] = c"() from %first : () -> !xf.real<4>
  xf.return %t : !xf.real<4>
}
