// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-plan-memory))" -verify-diagnostics -split-input-file
// The assumptions of the memory plan are checked.

xf.entry @f(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{is in no kernel; form kernels first}}
  %y = xf.relu %x : <n, 8>
  %h = xf.transfer %y to "host" : !xf.real<n, 8>
  xf.return %h : !xf.real<n, 8>
}

// -----

// A rearrangement that moves data.
xf.entry @f(%x: !xf.real<4, 8>) -> !xf.real<8, 4> {
  // expected-error @+1 {{is in no kernel; form kernels first}}
  %y = xf.rearrange %x[n, c] -> [c, n] : <4, 8> -> <8, 4>
  %h = xf.transfer %y to "host" : !xf.real<8, 4>
  xf.return %h : !xf.real<8, 4>
}

// -----

xf.entry @f(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{has an operand without a transfer of its own; place memory first}}
  xf.return %x : !xf.real<n, 8>
}

// -----

// One transfer for two results, as common subexpression elimination would leave it.
xf.entry @f(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %h = xf.transfer %x to "host" : !xf.real<n, 8>
  // expected-error @+1 {{has an operand without a transfer of its own}}
  xf.return %h, %h : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

xf.stored @W : !xf.real<8> from "W" as <([8:1])>
xf.entry @f() -> !xf.real<8> {
  %W = xf.weight @W : <8>
  // expected-error @+1 {{moves a weight: only kernels read weights}}
  %h = xf.transfer %W to "host" : !xf.real<8>
  xf.return %h : !xf.real<8>
}

// -----

// Kernels of one entry in two kinds of memory.
xf.kernel @here(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-avx"} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @there(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  xf.return %x : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.launch @here(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  // expected-error @+1 {{works in memory "opencl", kernels before it in "cpu": all kernels of an entry must use one memory}}
  %z = xf.launch @there(%y) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %h = xf.transfer %z to "host" : !xf.real<n, 8>
  xf.return %h : !xf.real<n, 8>
}

// -----

// The host reads the number of chosen rows between two kernels.
xf.kernel @pick(%x: !xf.real<n, 8>, %r: !xf.real<n>) -> !xf.real<chosen0, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-opencl"} {
  %0 = xf.compress %x by %r : <n, 8>, <n> -> <chosen0, 8>
  xf.return %0 : !xf.real<chosen0, 8>
}
// expected-error @+1 {{rows are chosen by the host, but the kernels work in another memory}}
xf.entry @f(%x: !xf.real<n, 8>, %r: !xf.real<n>) {
  %y = xf.launch @pick(%x, %r) {counted_by = 1 : i64} : (!xf.real<n, 8>, !xf.real<n>) -> !xf.real<chosen0, 8>
  xf.return
}
