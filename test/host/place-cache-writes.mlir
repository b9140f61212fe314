// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-cache-writes))" | FileCheck %s
// On a device a launch writes the rows of one sequence into the cache, and consecutive copies start together.

xf.cache @decode.0[l = 2] : !xf.real<n, 8>
xf.cache @decode.1[l = 2] : !xf.real<n, 8>
xf.cache @decode.2[l = 2] : !xf.real<n, 8>
xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @host(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux"} {
  xf.return %x : !xf.real<n, 8>
}

// The loop needs %k and %c in buffers; a view of %v is written by the launch of %v.
// CHECK-LABEL: xf.entry @decode.step(
// CHECK: xf.cache_write %{{.*}} in @decode.0[%{{.*}}] from %{{.*}} {ends_copies} : <n, 8>
// CHECK-NEXT: xf.cache_write %{{.*}} in @decode.1[%{{.*}}] from %{{.*}} {by_launch} : <n, 8>
// CHECK: xf.cache_write %{{.*}} in @decode.2[%{{.*}}] from %{{.*}} {ends_copies} : <n, 8>
xf.entry @decode.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %k = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %v = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %view = xf.rearrange %v[r, c] -> [r, c] : <n, 8> -> <n, 8>
    xf.cache_write %k in @decode.0[%l] from %first : <n, 8>
    xf.cache_write %view in @decode.1[%l] from %first : <n, 8>
    xf.cache_write %c in @decode.2[%l] from %first : <n, 8>
    %b = xf.launch @k(%v) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %k : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// The host's memory needs neither.
// CHECK-LABEL: xf.entry @host.step(
// CHECK: xf.cache_write %{{.*}} in @decode.0[%{{.*}}] from %{{[^ {]*}} : <n, 8>
xf.entry @host.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %k = xf.launch @host(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.cache_write %k in @decode.0[%l] from %first : <n, 8>
    %b = xf.launch @host(%k) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// A state is written over the one before, if only the launch reads that.
// CHECK-LABEL: xf.entry @states.step(
// CHECK: xf.cache_write %{{.*}}#1 in @states.0[%{{.*}}] {by_launch} : <8>
// CHECK: xf.cache_write %{{.*}}#1 in @states.1[%{{.*}}] : <8>
xf.cache @states.0[l = 2] : !xf.real<8> state
xf.cache @states.1[l = 2] : !xf.real<8> state
xf.kernel @scan(%x: !xf.real<n, 8>, %s: !xf.real<8>) -> (!xf.real<n, 8>, !xf.real<8>)
    attributes {anchor = #xf.anchor<scan>, target = "x86-64-linux"} {
  %y, %last = xf.scan (%r in %x axis 0) from (%state = %s) : (!xf.real<n, 8>), (!xf.real<8>) -> (!xf.real<n, 8> axis 0) {
    %t = xf.add %state[c], %r[c] -> [c] : <8>, <8>
    xf.yield %t, %t : !xf.real<8>, !xf.real<8>
  }
  xf.return %y, %last : !xf.real<n, 8>, !xf.real<8>
}
xf.entry @states.step(%x: !xf.real<n, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%c = %x) : !xf.real<n, 8> {
    %a = xf.cache_read @states.0[%l] : <8>
    %u, %next = xf.launch @scan(%c, %a) : (!xf.real<n, 8>, !xf.real<8>) -> (!xf.real<n, 8>, !xf.real<8>)
    xf.cache_write %next in @states.0[%l] : <8>
    %b = xf.cache_read @states.1[%l] : <8>
    %v, %last = xf.launch @scan(%u, %b) : (!xf.real<n, 8>, !xf.real<8>) -> (!xf.real<n, 8>, !xf.real<8>)
    xf.cache_write %last in @states.1[%l] : <8>
    %w, %unused = xf.launch @scan(%v, %b) : (!xf.real<n, 8>, !xf.real<8>) -> (!xf.real<n, 8>, !xf.real<8>)
    xf.yield %w : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}
