// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// Chosen rows: counted, gathered, scattered back.

// CHECK-LABEL: xf.entry @f
xf.entry @f(%x: !xf.real<n, 8>, %g: !xf.real<n>) -> !xf.real<n, 8> {
  // CHECK: %[[R:.*]] = xf.running_count %arg1 : <n>
  %r = xf.running_count %g : <n>
  // CHECK: %[[P:.*]] = xf.compress %arg0 by %[[R]] : <n, 8>, <n> -> <chosen0, 8>
  %p = xf.compress %x by %r : <n, 8>, <n> -> <chosen0, 8>
  // CHECK: %[[S:.*]] = xf.expand %[[P]] by %[[R]] : <chosen0, 8>, <n>
  %s = xf.expand %p by %r : <chosen0, 8>, <n>
  // CHECK: xf.return %[[S]] : !xf.real<n, 8>
  xf.return %s : !xf.real<n, 8>
}

// For each member of a family separately.
// CHECK-LABEL: xf.entry @members
xf.entry @members(%x: !xf.real<n, 8>, %g: !xf.real<n, 4>) -> !xf.real<n, 8> {
  // CHECK: %[[R:.*]] = xf.running_count %arg1 : <n, 4>
  %r = xf.running_count %g : <n, 4>
  // CHECK: %[[L:.*]] = xf.build_row_index %[[R]] : <n, 4>
  %l = xf.build_row_index %r : <n, 4>
  // CHECK: %[[T:.*]] = xf.gather_rows %arg0 by %[[L]] : <n, 8>, <4, n>
  %t = xf.gather_rows %x by %l : <n, 8>, <4, n>
  // CHECK: %[[Y:.*]] = xf.bounded_by %[[T]] by %[[L]] : <4, n, 8>, <4, n>
  %y = xf.bounded_by %t by %l : <4, n, 8>, <4, n>
  // CHECK: %[[S:.*]] = xf.scatter_add %[[Y]] by %[[R]] times %arg1 : <4, n, 8>, <n, 4>
  %s = xf.scatter_add %y by %r times %g : <4, n, 8>, <n, 4>
  // CHECK: xf.return %[[S]] : !xf.real<n, 8>
  xf.return %s : !xf.real<n, 8>
}
