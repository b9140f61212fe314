// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// Rows that are chosen: counted, brought together, put back.

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
