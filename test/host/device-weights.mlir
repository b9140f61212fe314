// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-memory))" | FileCheck %s
// Kernels on a device index with 32 bits, 8 GiB of words. Weights that end past that limit are read
// like others: a kernel gets the part of the block in which its weights begin.

// CHECK: xf.weight @W
// CHECK-NEXT: xf.launch @k
xf.stored @W[l = 9] : !xf.real<16384, 16384> from "W{l}" as <([16384:16384], [16384:1])> at <storage = <f32>, offset = 0, stride = 1073741824>
xf.kernel @k(%x: !xf.real<n, 16384>, %W: !xf.real<16384, 16384>) -> !xf.real<n, 16384>
    attributes {anchor = #xf.anchor<contraction>, target = "x86-64-linux-opencl"} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 16384>, <16384, 16384>
  xf.return %0 : !xf.real<n, 16384>
}
xf.entry @f(%x: !xf.real<n, 16384>) -> !xf.real<n, 16384> {
  %y = xf.layers %l < 9 (%c = %x) : !xf.real<n, 16384> {
    %W = xf.weight @W[%l] : <16384, 16384>
    %z = xf.launch @k(%c, %W) : (!xf.real<n, 16384>, !xf.real<16384, 16384>) -> !xf.real<n, 16384>
    xf.yield %z : !xf.real<n, 16384>
  }
  xf.return %y : !xf.real<n, 16384>
}
