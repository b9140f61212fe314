// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-gather-cache-writes))" | FileCheck %s
// On a device, keys and values are stored together, before the first kernel that reads them.

xf.cache @decode.0[l = 2] : !xf.real<n, 8>
xf.cache @decode.1[l = 2] : !xf.real<n, 8>
xf.cache @one : !xf.real<n, 8>
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @see(%x: !xf.real<n, 8>, %k: !xf.real<n.seen, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @attend(%x: !xf.real<n, 8>, %k: !xf.real<n.seen, 8>, %v: !xf.real<n.seen, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @host(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux"} {
  xf.return %x : !xf.real<n, 8>
}

// CHECK-LABEL: xf.entry @decode.step(
// CHECK: xf.layers
// CHECK-NEXT: %[[K:.*]] = xf.launch @k
// CHECK-NEXT: %[[V:.*]] = xf.launch @k
// CHECK-NEXT: xf.cache_write %[[V]] in @decode.1
// CHECK-NEXT: %[[ALL_V:.*]] = xf.cache_read @decode.1
// CHECK-NEXT: xf.cache_write %[[K]] in @decode.0
// CHECK-NEXT: %[[ALL_K:.*]] = xf.cache_read @decode.0
// CHECK-NEXT: %[[VIEW:.*]] = xf.rearrange %[[ALL_K]]
// CHECK-NEXT: xf.launch @attend(%{{.*}}, %[[VIEW]], %[[ALL_V]])
// CHECK-NEXT: xf.yield
xf.entry @decode.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %k = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.cache_write %k in @decode.0[%l] from %first : <n, 8>
    %K = xf.cache_read @decode.0[%l] : <n.seen, 8>
    %K2 = xf.rearrange %K[r, c] -> [r, c] : <n.seen, 8> -> <n.seen, 8>
    %v = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.cache_write %v in @decode.1[%l] from %first : <n, 8>
    %V = xf.cache_read @decode.1[%l] : <n.seen, 8>
    %b = xf.launch @attend(%c, %K2, %V) : (!xf.real<n, 8>, !xf.real<n.seen, 8>, !xf.real<n.seen, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// A cache is read before it is written again, in a loop as well.
// CHECK-LABEL: xf.entry @twice.step(
// CHECK-NEXT: %[[A:.*]] = xf.launch @k
// CHECK-NEXT: xf.cache_write %[[A]] in @one
// CHECK-NEXT: xf.layers
// CHECK-NEXT: %[[ALL:.*]] = xf.cache_read @one
// CHECK-NEXT: xf.launch @see(%{{.*}}, %[[ALL]])
// CHECK-NEXT: xf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[B:.*]] = xf.launch @k
// CHECK-NEXT: xf.cache_write %[[B]] in @one
// CHECK-NEXT: xf.return
xf.entry @twice.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %a in @one from %first : <n, 8>
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %all = xf.cache_read @one : <n.seen, 8>
    %b = xf.launch @see(%c, %all) : (!xf.real<n, 8>, !xf.real<n.seen, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  %b = xf.launch @k(%y) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %b in @one from %first : <n, 8>
  xf.return %b : !xf.real<n, 8>
}

// On a CPU, rows are copied right after they are computed.
// CHECK-LABEL: xf.entry @host.step(
// CHECK-NEXT: %[[H:.*]] = xf.launch @host
// CHECK-NEXT: xf.cache_write %[[H]] in @one
// CHECK-NEXT: xf.launch @host
xf.entry @host.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %a = xf.launch @host(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.cache_write %a in @one from %first : <n, 8>
  %b = xf.launch @host(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %b : !xf.real<n, 8>
}
