// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-memory,xf-plan-memory))" | FileCheck %s
// Kernels for a device work in its memory: arguments are copied there once,
// results are copied back, nothing else is transferred.

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8>
    attributes {anchor = #xf.anchor<rows>, target = "x86-64-linux-cuda"} {
  xf.return %x : !xf.real<n, 8>
}

// CHECK-LABEL: xf.entry @straight(
// CHECK-SAME: %[[X:[^:]*]]: !xf.real<n, 8>
// CHECK-SAME: slots = [array<i64: 0, 32>, array<i64: 0, 32>]
// CHECK-NEXT: %[[D:.*]] = xf.transfer %[[X]] to "cuda" {buffer = #xf.buffer<"cuda", arena, 0>}
// CHECK-NEXT: %[[A:.*]] = xf.launch @k(%[[D]]) {buffer = #xf.buffer<"cuda", arena, 1>}
// CHECK-NEXT: %[[B:.*]] = xf.launch @k(%[[A]]) {buffer = #xf.buffer<"cuda", arena, 0>}
// CHECK-NEXT: %[[R:.*]] = xf.transfer %[[B]] to "host" {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK-NEXT: xf.return %[[R]]
xf.entry @straight(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %b : !xf.real<n, 8>
}

// Carried values of a loop stay there: the transfer into the loop and the one
// in it share the loop's buffer on the device.
// CHECK-LABEL: xf.entry @loop(
// CHECK-NEXT: xf.transfer %{{.*}} to "cuda" {buffer = #xf.buffer<"cuda", arena, [[LOOP:.*]]>}
// CHECK-NEXT: xf.transfer %{{.*}} to "cuda" {buffer = #xf.buffer<"cuda", arena, [[LOOP]]>}
// CHECK-NEXT: xf.layers
// CHECK-NEXT: xf.launch @k(%{{.*}}) {buffer = #xf.buffer<"cuda", arena, [[OTHER:.*]]>}
// CHECK-NEXT: xf.launch @k(%{{.*}}) {buffer = #xf.buffer<"cuda", arena, [[LOOP]]>}
// CHECK-NEXT: xf.transfer %{{.*}} to "cuda" {buffer = #xf.buffer<"cuda", arena, [[LOOP]]>}
// CHECK-NEXT: xf.yield
// CHECK-NEXT: }
// CHECK-NEXT: xf.transfer %{{.*}} to "host" {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @loop(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.layers %l < 6 (%c = %x) : !xf.real<n, 8> {
    %z = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %w = xf.launch @k(%z) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %w : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// A result that is an argument is copied there and back.
// CHECK-LABEL: xf.entry @echo(
// CHECK: %[[D:.*]] = xf.transfer %{{.*}} to "cuda" {buffer = #xf.buffer<"cuda", arena, 1>}
// CHECK: xf.transfer %[[D]] to "host" {buffer = #xf.buffer<"cpu", result, 1>}
xf.entry @echo(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %a, %y : !xf.real<n, 8>, !xf.real<n, 8>
}
