// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-derive-batch,xf-place-memory,xf-plan-memory))" | FileCheck %s
// A step on a device: rows are kept and read where kernels work; tokens, the first position
// and logits cross, nothing else.

xf.cache @decode.0[l = 2] : !xf.real<n, 8>
xf.kernel @k(%x: !xf.real<n, 8>, %first: !xf.integral<, 4096>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
