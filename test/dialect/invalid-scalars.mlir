// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Types, exact scalars and rounding.

// expected-error @+1 {{the size of an axis must be above 0 and fit 64 bits, found -1}}
xf.entry @f(%x: !xf.real<n, -1>) {
  xf.return
}

// -----

// expected-error @+1 {{the size of an axis must be above 0 and fit 64 bits, found -3}}
xf.entry @f(%x: !xf.integer<-3>) {
  xf.return
}

// -----

// expected-error @+1 {{the size of an axis must be above 0 and fit 64 bits, found 0}}
xf.entry @f(%x: !xf.real<n, 0>) {
  xf.return
}

// -----

// expected-error @+1 {{a value has more elements than 64 bits can count}}
xf.entry @f(%x: !xf.real<4294967296, n, 4294967296>) {
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{'sqrt(' is not an exact scalar; write 8, 11/50, 1/sqrt(32)}}
  %0 = xf.scale %x by <"sqrt("> "√" : <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{'1/0' is not an exact scalar}}
  %0 = xf.power %x to <"1/0"> : <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{'sqrt(-2)' is not an exact scalar}}
  %0 = xf.standardize %x epsilon <"sqrt(-2)"> : <n>
  xf.return
}

// -----

// No sums: √2 + 1 has no such form.
xf.entry @f() {
  // expected-error @+1 {{'sqrt(2)+1' is not an exact scalar}}
  %0 = xf.constant <"sqrt(2)+1"> : <>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{'' is not an exact scalar}}
  %0 = xf.constant <""> : <>
  xf.return
}

// -----

// The quotes are required: the parser's tokens include no roots.
xf.entry @f() {
  // expected-error @+1 {{expected string}}
  %0 = xf.constant <8> : <>
  xf.return
}

// -----

xf.entry @f() {
  // expected-error @+1 {{a constant must be a scalar, !xf.real<>}}
  %0 = xf.constant <"1"> : <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 48>) {
  // expected-error @+1 {{has groups that do not divide the last axis}}
  %0 = xf.quantize %x by 32 : <n, 48>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<32, n>) {
  // expected-error @+1 {{has groups that do not divide the last axis}}
  %0 = xf.quantize %x by 32 : <32, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{must round to f32, f16 or bf16: values have no higher precision}}
  %0 = xf.round %x to f64 : <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n>) -> !xf.real<n> {
  // expected-error@+1 {{its upper bound is below its lower bound}}
  %0 = xf.clamp %x from <"1"> to <"0"> : <n>
  xf.return %0 : !xf.real<n>
}

// -----

xf.entry @f(%x: !xf.real<n>) -> !xf.real<n> {
  // expected-error@+1 {{has no bound}}
  %0 = xf.clamp %x : <n>
  xf.return %0 : !xf.real<n>
}
