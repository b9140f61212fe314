// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// Chosen rows: counted, gathered, scattered back.

// CHECK-LABEL: xf.entry @f
xf.entry @f(%x: !xf.real<n, 8>, %g: !xf.real<n>) -> !xf.real<n, 8> {
  // CHECK: %[[R:.*]] = xf.rank %arg1 : <n>
  %r = xf.rank %g : <n>
  // CHECK: %[[P:.*]] = xf.pick %arg0 by %[[R]] : <n, 8>, <n> -> <chosen0, 8>
  %p = xf.pick %x by %r : <n, 8>, <n> -> <chosen0, 8>
  // CHECK: %[[S:.*]] = xf.spread %[[P]] by %[[R]] : <chosen0, 8>, <n>
  %s = xf.spread %p by %r : <chosen0, 8>, <n>
  // CHECK: xf.return %[[S]] : !xf.real<n, 8>
  xf.return %s : !xf.real<n, 8>
}

// For each member of a family separately.
// CHECK-LABEL: xf.entry @members
xf.entry @members(%x: !xf.real<n, 8>, %g: !xf.real<n, 4>) -> !xf.real<n, 8> {
  // CHECK: %[[R:.*]] = xf.rank %arg1 : <n, 4>
  %r = xf.rank %g : <n, 4>
  // CHECK: %[[L:.*]] = xf.list %[[R]] : <n, 4>
  %l = xf.list %r : <n, 4>
  // CHECK: %[[T:.*]] = xf.take %arg0 by %[[L]] : <n, 8>, <4, n>
  %t = xf.take %x by %l : <n, 8>, <4, n>
  // CHECK: %[[Y:.*]] = xf.listed %[[T]] by %[[L]] : <4, n, 8>, <4, n>
  %y = xf.listed %t by %l : <4, n, 8>, <4, n>
  // CHECK: %[[S:.*]] = xf.sum_listed %[[Y]] by %[[R]] times %arg1 : <4, n, 8>, <n, 4>
  %s = xf.sum_listed %y by %r times %g : <4, n, 8>, <n, 4>
  // CHECK: xf.return %[[S]] : !xf.real<n, 8>
  xf.return %s : !xf.real<n, 8>
}
