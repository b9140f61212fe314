// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Axes and positions that do not exist, and shapes that do not fit.

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{axis 2 of a value with 2 axes}}
  %0 = xf.sum %x over 2 : <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{axis -1 of a value with 2 axes}}
  %0 = xf.mean %x over -1 : <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<>) {
  // expected-error @+1 {{axis 0 of a value with 0 axes}}
  %0 = xf.max %x over 0 : <>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{axis 2 of a value with 2 axes}}
  %0 = xf.select %x axis 2 at 0 : <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{position 8 is outside an axis of 8}}
  %0 = xf.select %x axis 1 at 8 : <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{position -9 is outside an axis of 8}}
  %0 = xf.select %x axis 1 at -9 : <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{axis 2 of a value with 2 axes}}
  %0 = xf.slice %x axis 2 from 0 : <n, 8> -> <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{the result has 1 axes, the input 2}}
  %0 = xf.slice %x axis 1 from 0 : <n, 8> -> <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{changes axis 1, not only axis 0}}
  %0 = xf.slice %x axis 0 from 0 : <n, 8> -> <n, 7>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{takes 4 positions from 5 of an axis of 8}}
  %0 = xf.slice %x axis 1 from 5 : <n, 8> -> <n, 4>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) {
  // expected-error @+1 {{takes n positions from -1 of an axis of 8}}
  %0 = xf.slice %x axis 1 from -1 : <n, 8> -> <n, n>
  xf.return
}

// -----

// This does not depend on the length of the sequence.
xf.entry @f(%x: !xf.real<512, 8>) {
  // expected-error @+1 {{takes n positions from 513 of an axis of 512}}
  %0 = xf.slice %x axis 0 from 513 : <512, 8> -> <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, 8>, %y: !xf.real<3, 8>) {
  // expected-error @+1 {{2 and 3 positions add up to 5, not 6}}
  %0 = xf.append %x, %y axis 0 : <2, 8>, <3, 8> -> <6, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, 8>, %y: !xf.real<3, 8>) {
  // expected-error @+1 {{2 and 3 positions add up to 5, not n}}
  %0 = xf.append %x, %y axis 0 : <2, 8>, <3, 8> -> <n, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, 8>, %y: !xf.real<3, 7>) {
  // expected-error @+1 {{changes axis 1, not only axis 0}}
  %0 = xf.append %x, %y axis 0 : <2, 8>, <3, 7> -> <5, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, 8>) {
  // expected-error @+1 {{axis -1 of a value with 2 axes}}
  %0 = xf.append %x, %x axis -1 : <2, 8>, <2, 8> -> <4, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, 8>, %y: !xf.real<8>) {
  // expected-error @+1 {{the result has 2 axes, the input 1}}
  %0 = xf.append %x, %y axis 0 : <2, 8>, <8> -> <3, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, n>) {
  // expected-error @+1 {{cannot repeat axis 2 4 times}}
  %0 = xf.repeat %x axis 2 times 4 : <2, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, n>) {
  // expected-error @+1 {{cannot repeat axis 0 0 times}}
  %0 = xf.repeat %x axis 0 times 0 : <2, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<2, n>) {
  // expected-error @+1 {{must repeat an axis of a fixed size}}
  %0 = xf.repeat %x axis 1 times 4 : <2, n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<>, %rows: !xf.integer<n>) {
  // expected-error @+1 {{a scalar has no rows to gather}}
  %0 = xf.gather %x[%rows] : <>, <n>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<32, 32>) {
  // expected-error @+1 {{an image must have channels, height and width, but this one has 2 axes}}
  %0 = xf.patches %x size 8 : <32, 32>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<3, 32, w>) {
  // expected-error @+1 {{the sizes of an image must be fixed, not w}}
  %0 = xf.patches %x size 8 : <3, 32, w>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<3, 32, 20>) {
  // expected-error @+1 {{an image of 32 x 20 cannot be cut into whole squares of 8}}
  %0 = xf.patches %x size 8 : <3, 32, 20>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<3, 32, 32>) {
  // expected-error @+1 {{an image of 32 x 32 cannot be cut into whole squares of 0}}
  %0 = xf.patches %x size 0 : <3, 32, 32>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<n, 8>, %y: !xf.real<3, 8>) {
  // expected-error @+1 {{n and 3 positions add up to n + 3, not n}}
  %0 = xf.append %x, %y axis 0 : <n, 8>, <3, 8> -> <n, 8>
  xf.return
}
