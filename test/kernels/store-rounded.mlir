// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-choose-storage=target=x86-64 | FileCheck %s
// RUN: %transfold-opt %s -split-input-file -xf-choose-storage=target=opencl \
// RUN:   | FileCheck %s --check-prefix=DEVICE
// Values that a kernel rounds at its end are stored rounded, and so are caches
// with only such values. A device's caches are words of 32 bits, and so is a value
// that is written to one.

// DEVICE: xf.cache @keys : !xf.real<n, 8>{{$}}
// DEVICE: xf.kernel @round(%arg0: !xf.real<n, 8>) -> !xf.real<n, 8> attributes
// DEVICE: xf.kernel @join(%arg0: !xf.real<2, n, 4>) -> !xf.real<n, 8> attributes
// CHECK: xf.cache @keys : !xf.real<n, 8> in bf16
// CHECK: xf.kernel @round(%arg0: !xf.real<n, 8>) -> (!xf.real<n, 8> {xf.storage = #xf.storage<bf16>})
// CHECK: xf.kernel @exp(%arg0: !xf.real<n, 8> {xf.storage = #xf.storage<bf16>}) -> !xf.real<n, 8>
xf.cache @keys : !xf.real<n, 8>
xf.entry @step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %0 = xf.launch @round(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %0 in @keys from %first : !xf.real<n, 8>
  %1 = xf.cache_read @keys : !xf.real<n.seen, 8>
  %2 = xf.launch @exp(%1) : (!xf.real<n.seen, 8>) -> !xf.real<n.seen, 8>
  %3 = xf.rearrange %0[n, (i c)] -> [i, n, c] : <n, 8> -> <2, n, 4>
  %4 = xf.launch @join(%3) : (!xf.real<2, n, 4>) -> !xf.real<n, 8>
  xf.return %4 : !xf.real<n, 8>
}
xf.kernel @round(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.round %x to bf16 : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @exp(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.exp %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
// CHECK: xf.kernel @join(%arg0: !xf.real<2, n, 4> {xf.storage = #xf.storage<bf16>})
xf.kernel @join(%x: !xf.real<2, n, 4>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.rearrange %x[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  xf.return %0 : !xf.real<n, 8>
}

// -----

// The caller reads float32; so do all readers of the same value. A cache that
// also receives other values is unchanged, with all its inputs.
// CHECK: xf.cache @both : !xf.real<n, 8>{{$}}
// CHECK: xf.kernel @round(%arg0: !xf.real<n, 8>) -> !xf.real<n, 8> attributes
// CHECK: xf.kernel @exp(%arg0: !xf.real<n, 8>) -> !xf.real<n, 8> attributes
// CHECK: xf.kernel @negate_round(%arg0: !xf.real<n, 8>) -> !xf.real<n, 8> attributes
xf.cache @both : !xf.real<n, 8>
xf.entry @returned(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %0 = xf.launch @round(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %1 = xf.launch @exp(%0) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %1 in @both from %first : !xf.real<n, 8>
  %2 = xf.launch @negate_round(%1) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %2 in @both from %first : !xf.real<n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @round(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.round %x to bf16 : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @exp(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.exp %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @negate_round(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.negate %x : <n, 8>
  %1 = xf.round %0 to bf16 : <n, 8>
  xf.return %1 : !xf.real<n, 8>
}

// -----

// A kernel that reads rounded and unrounded operands becomes two.
// DEVICE: xf.kernel @exp_bf16(%arg0: !xf.real<n, 8> {xf.storage = #xf.storage<bf16>}) -> !xf.real<n, 8>
// CHECK: xf.launch @round(
// CHECK: xf.launch @exp(%arg0)
// CHECK: xf.launch @exp_bf16(
// CHECK: xf.kernel @exp(%arg0: !xf.real<n, 8>) -> !xf.real<n, 8> attributes
// CHECK: xf.kernel @exp_bf16(%arg0: !xf.real<n, 8> {xf.storage = #xf.storage<bf16>}) -> !xf.real<n, 8>
xf.entry @two(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %0 = xf.launch @round(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %1 = xf.launch @exp(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %2 = xf.launch @exp(%0) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %1, %2 : !xf.real<n, 8>, !xf.real<n, 8>
}
xf.kernel @round(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.round %x to bf16 : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @exp(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.exp %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
