// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// A rearrangement keeps all elements and determines the size of each label.

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{a value with 2 axes has 1 groups of labels}}
  %0 = xf.rearrange %x[n] -> [n] : <n, 8> -> <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{label 'c' occurs twice on one side}}
  %0 = xf.rearrange %x[n, (c c)] -> [n, c] : <n, 8> -> <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{label 'c' occurs twice on one side}}
  %0 = xf.rearrange %x[c, c] -> [c, d] : <8, 8> -> <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{both sides must have the same labels}}
  %0 = xf.rearrange %x[n, c] -> [n, d] : <n, 8> -> <n, 8>
  xf.return
}

// -----

// With one label fewer, it would be a sum or a selection.
xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{both sides must have the same labels}}
  %0 = xf.rearrange %x[n, c] -> [n] : <n, 8> -> <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{label 'c' is 8 on one side and 9 on the other}}
  %0 = xf.rearrange %x[n, c] -> [c, n] : <n, 8> -> <9, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{labels of an axis of 8 make 6}}
  %0 = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 8> -> <2, n, 3>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, n, 3>) {
  // expected-error @+1 {{labels of an axis of 8 make 6}}
  %0 = xf.rearrange %x[i, n, c] -> [n, (i c)] : <2, n, 3> -> <n, 8>
  xf.return
}

// -----

// An axis without labels has one position.
xf.entry @f(%x: !xf.real<n>) {
  // expected-error @+1 {{labels of an axis of 2 make 1}}
  %0 = xf.rearrange %x[n] -> [n, ()] : <n> -> <n, 2>
  xf.return
}

// -----

// The size of b is 6 / 2 = 3, and 3 · 5 = 15.
xf.entry @f(%x: !xf.real<6, 5>) {
  // expected-error @+1 {{labels of an axis of 10 make 15}}
  %0 = xf.rearrange %x[(a b), c] -> [a, (b c)] : <6, 5> -> <2, 10>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<7, 5>) {
  // expected-error @+1 {{labels of an axis of 7 make 2, without 'b'}}
  %0 = xf.rearrange %x[(a b), c] -> [a, (b c)] : <7, 5> -> <2, 15>
  xf.return
}

// -----

// 2 · 6 or 3 · 4?
xf.entry @f(%x: !xf.real<12>) {
  // expected-error @+1 {{cannot infer how many positions 'a' has}}
  %0 = xf.rearrange %x[(a b)] -> [(b a)] : <12> -> <12>
  xf.return
}
