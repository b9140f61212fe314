// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-place-weights -split-input-file -verify-diagnostics
// Only kernels read weights.

xf.stored @b : !xf.real<8> from "b" as <([8:1])>
xf.entry @f() -> !xf.real<8> {
  %b = xf.weight @b : <8>
  // expected-error @+1 {{reads a weight outside a kernel; form kernels first}}
  xf.return %b : !xf.real<8>
}

// -----

// Halide indexes with 32 bits: 2^31 elements are one too many, also if the last
// columns are only padding of a panel.

// expected-error @+1 {{'xf.stored' op has 2147483648 elements in one tensor; kernels count up to 2147483647}}
xf.stored @E : !xf.real<65536, 32768> from "E" as <([65536:32768], [32768:1])>
xf.kernel @rows(%E: !xf.real<65536, 32768>, %t: !xf.integer<n>) -> !xf.real<n, 32768> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <65536, 32768>, <n>
  xf.return %0 : !xf.real<n, 32768>
}
xf.entry @f(%t: !xf.integer<n>) -> !xf.real<n, 32768> {
  %E = xf.weight @E : <65536, 32768>
  %a = xf.launch @rows(%E, %t) : (!xf.real<65536, 32768>, !xf.integer<n>) -> !xf.real<n, 32768>
  xf.return %a : !xf.real<n, 32768>
}

// -----

// expected-error @+1 {{'xf.stored' op has 2147483648 elements in one tensor}}
xf.stored @W : !xf.real<65536, 32761> from "W" as <([65536:32761], [32761:1])>
xf.kernel @product(%x: !xf.real<n, 65536>, %W: !xf.real<65536, 32761> {xf.storage = #xf.storage<f32, <8>>}) -> !xf.real<n, 32761> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 65536>, <65536, 32761>
  xf.return %0 : !xf.real<n, 32761>
}
xf.entry @f(%x: !xf.real<n, 65536>) -> !xf.real<n, 32761> {
  %W = xf.weight @W : <65536, 32761>
  %a = xf.launch @product(%x, %W) : (!xf.real<n, 65536>, !xf.real<65536, 32761>) -> !xf.real<n, 32761>
  xf.return %a : !xf.real<n, 32761>
}
