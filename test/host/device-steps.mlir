// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-derive-batch,xf-place-memory,xf-plan-memory))" | FileCheck %s
// A decode step on a device: cache rows are stored and read in the memory of the kernels. Only the
// step's arguments and its result are transferred. A position is passed to kernels as a number.

xf.cache @decode.0[l = 2] : !xf.real<n, 8>
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @see(%x: !xf.real<n, 8>, %all: !xf.real<n.seen, 8>, %first: !xf.integer<>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}

// CHECK-LABEL: xf.entry @decode.step(
// CHECK-NEXT: %[[X:.*]] = xf.transfer %arg0 to "opencl" {buffer = #xf.buffer<"opencl", arena, 0>}
// CHECK-NEXT: %[[I:.*]] = xf.transfer %[[X]] to "opencl" {buffer = #xf.buffer<"opencl", arena, 0>}
// CHECK-NEXT: xf.layers
// CHECK-NEXT: %[[A:.*]] = xf.launch @k({{.*}}) {buffer = #xf.buffer<"opencl", arena, [[ROWS:.]]>}
// CHECK-NEXT: xf.cache_write %[[A]] in @decode.0[%{{.*}}] from %arg1
// CHECK-NEXT: %[[ALL:.*]] = xf.cache_read @decode.0
// CHECK-NEXT: xf.launch @see(%[[A]], %[[ALL]], %arg1) {buffer = #xf.buffer<"opencl", arena, 0>, per_sequence}
// CHECK-NEXT: xf.transfer {{.*}} to "opencl" {buffer = #xf.buffer<"opencl", arena, 0>}
// CHECK-NEXT: xf.yield
// CHECK-NEXT: }
// CHECK-NEXT: xf.transfer %{{.*}} to "host" {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @decode.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %a = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.cache_write %a in @decode.0[%l] from %first : <n, 8>
    %all = xf.cache_read @decode.0[%l] : <n.seen, 8>
    %b = xf.launch @see(%a, %all, %first) : (!xf.real<n, 8>, !xf.real<n.seen, 8>, !xf.integer<>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}
