// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -verify-diagnostics

xf.entry @f(%x: !xf.real<8, n>) {
  // expected-error @+1 {{must count along a length, for one or several members}}
  %r = xf.running_count %x : <8, n>
  xf.return
}

// -----

xf.entry @f(%r: !xf.real<n>) {
  // expected-error @+1 {{needs the ranks of rows for each member}}
  %l = xf.build_row_index %r : <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %l: !xf.real<4, m>) {
  // expected-error @+1 {{needs rows and lists of these rows}}
  %t = xf.gather_rows %x by %l : <n, 8>, <4, m>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<3, n, 8>, %l: !xf.real<4, n>) {
  // expected-error @+1 {{needs a list for each member of '!xf.real<3, n, 8>', not '!xf.real<4, n>'}}
  %y = xf.bounded_by %x by %l : <3, n, 8>, <4, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<4, n, 8>, %r: !xf.real<n, 3>) {
  // expected-error @+1 {{needs listed rows and the ranks of these rows}}
  %s = xf.scatter_add %x by %r times %r : <4, n, 8>, <n, 3>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<m>) {
  // expected-error @+1 {{needs a rank for each row of '!xf.real<n, 8>', not '!xf.real<m>'}}
  %p = xf.compress %x by %r : <n, 8>, <m> -> <k, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<n>) {
  // expected-error @+1 {{must have as many rows as are chosen: a length of its own}}
  %p = xf.compress %x by %r : <n, 8>, <n> -> <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<n>) {
  // expected-error @+1 {{must pick whole rows}}
  %p = xf.compress %x by %r : <n, 8>, <n> -> <k, 7>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>, %r: !xf.real<n>) {
  // expected-error @+1 {{needs picked rows and their ranks}}
  %p = xf.expand %x by %r : <8, 8>, <n>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>, %r: !xf.real<n>) -> !xf.real<m, 8> attributes {anchor = #xf.anchor<rows>} {
  %p = xf.compress %x by %r : <n, 8>, <n> -> <m, 8>
  xf.return %p : !xf.real<m, 8>
}
xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<n>) {
  // expected-error @+1 {{has no operand 2 to count its rows}}
  %p = xf.launch @k(%x, %r) {counted_by = 2 : i64} : (!xf.real<n, 8>, !xf.real<n>) -> !xf.real<m, 8>
  xf.return
}

// -----

xf.kernel @k(%x: !xf.real<n, 8>, %r: !xf.real<n>) -> !xf.real<m, 8> attributes {anchor = #xf.anchor<rows>} {
  %p = xf.compress %x by %r : <n, 8>, <n> -> <m, 8>
  xf.return %p : !xf.real<m, 8>
}
xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<n>) {
  // expected-error @+1 {{must count its rows by ranks, one for each row}}
  %p = xf.launch @k(%x, %r) {counted_by = 0 : i64} : (!xf.real<n, 8>, !xf.real<n>) -> !xf.real<m, 8>
  xf.return
}
