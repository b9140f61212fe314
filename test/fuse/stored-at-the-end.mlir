// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s --xf-merge-families | FileCheck %s
//
// A stored tensor may follow the entries, as the last operation of the module:
// tensors derived from it follow it.

// CHECK: xf.entry @run
// CHECK: xf.stored @Q.merged
module @toy {
  xf.entry @run(%arg0: !xf.real<n, 4> {xf.external = "x", xf.name = "x"}) -> (!xf.real<2, n, 3> {xf.external = "y", xf.name = "y"}) {
    %0 = xf.weight @Q : <2, 4, 3>
    %1 = xf.contract %arg0[r, k], %0[i1, k, c] -> [i1, r, c] : <n, 4>, <2, 4, 3>
    xf.return %1 : !xf.real<2, n, 3>
  }
  xf.stored @Q : !xf.real<2, 4, 3> from "Q" as <([2:12], [4:3], [3:1])>
}
