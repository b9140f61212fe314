// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-join-launches))" | FileCheck %s
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-memory,xf-join-launches,xf-plan-memory))" | FileCheck %s --check-prefix PLAN
// Which launches run concurrently, and which must not.

xf.stored @WQ : !xf.real<8, 64> from "q" as #xf.layout<([8:64], [64:1])>
xf.stored @WK : !xf.real<8, 32> from "k" as #xf.layout<([8:32], [32:1])>
xf.stored @WG : !xf.real<8, 64> from "g" as #xf.layout<([8:64], [64:1])>

// Products of few rows are one parallel loop.
xf.kernel @wide(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, few = @wide_few, few_rows = 4 : i64} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @wide_few(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, one_loop, schedule = {block = 4 : i64, columns = 32 : i64, rows = 1 : i64}} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @narrow(%x: !xf.real<n, 8>, %W: !xf.real<8, 32>) -> !xf.real<n, 32> attributes {anchor = #xf.anchor<contraction>, few = @narrow_few, few_rows = 4 : i64} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 32>
  xf.return %0 : !xf.real<n, 32>
}
xf.kernel @narrow_few(%x: !xf.real<n, 8>, %W: !xf.real<8, 32>) -> !xf.real<n, 32> attributes {anchor = #xf.anchor<contraction>, one_loop, schedule = {block = 4 : i64, columns = 32 : i64, rows = 1 : i64}} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 32>
  xf.return %0 : !xf.real<n, 32>
}
// Reads only the element of %g that it computes.
xf.kernel @gated(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, few = @gated_few, few_rows = 4 : i64} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  %1 = xf.multiply %0[n, c], %g[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
}
xf.kernel @gated_few(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, one_loop, schedule = {block = 4 : i64, columns = 32 : i64, rows = 1 : i64}} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  %1 = xf.multiply %0[n, c], %g[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
}
// The same with other tasks.
xf.kernel @halves(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, few = @halves_few, few_rows = 4 : i64} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  %1 = xf.multiply %0[n, c], %g[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
}
xf.kernel @halves_few(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, one_loop, schedule = {block = 4 : i64, columns = 16 : i64, rows = 1 : i64}} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  %1 = xf.multiply %0[n, c], %g[n, c] -> [n, c] : <n, 64>, <n, 64>
  xf.return %1 : !xf.real<n, 64>
}
// Multiplies by its operand: all of its rows are read for each element.
xf.kernel @product(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>, %V: !xf.real<64, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, few = @product_few, few_rows = 4 : i64} {
  %0 = xf.contract %g[n, k], %V[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @product_few(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>, %g: !xf.real<n, 64>, %V: !xf.real<64, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>, one_loop, schedule = {block = 4 : i64, columns = 32 : i64, rows = 1 : i64}} {
  %0 = xf.contract %g[n, k], %V[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %0 : !xf.real<n, 64>
}
// It has no form for few rows.
xf.kernel @many(%x: !xf.real<n, 8>, %W: !xf.real<8, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 64>
  xf.return %0 : !xf.real<n, 64>
}
xf.kernel @bend(%x: !xf.real<n, 64>) -> !xf.real<n, 64> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gelu %x : <n, 64>
  xf.return %0 : !xf.real<n, 64>
}

// Queries, keys and values: further operations on the first two follow.
// CHECK-LABEL: xf.entry @queries
// CHECK: %[[K:.*]] = xf.weight @WK
// CHECK-NOT: xf.launch
// CHECK: %[[Q:.*]] = xf.launch @wide(%arg0, %{{.*}}) :
// CHECK-NEXT: xf.launch @narrow(%arg0, %[[K]]) {joined = #xf.joined<independent>}
// CHECK-NEXT: xf.launch @bend(%[[Q]])
// The two must not read or write each other's memory.
// PLAN-LABEL: xf.entry @queries
// PLAN: xf.launch @wide(%{{.*}}) {buffer = #xf.buffer<"cpu", arena, [[Q:[0-9]]]>}
// PLAN-NOT: arena, [[Q]]
// PLAN: xf.return
xf.entry @queries(%x: !xf.real<n, 8>) -> (!xf.real<n, 64>, !xf.real<n, 32>) {
  %WQ = xf.weight @WQ : <8, 64>
  %q = xf.launch @wide(%x, %WQ) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %r = xf.launch @bend(%q) : (!xf.real<n, 64>) -> !xf.real<n, 64>
  %WK = xf.weight @WK : <8, 32>
  %k = xf.launch @narrow(%x, %WK) : (!xf.real<n, 8>, !xf.real<8, 32>) -> !xf.real<n, 32>
  xf.return %r, %k : !xf.real<n, 64>, !xf.real<n, 32>
}

// A gate: the same thread computes the same columns.
// CHECK-LABEL: xf.entry @gate
// CHECK: %[[G:.*]] = xf.launch @wide(
// CHECK-NEXT: xf.launch @gated(%arg0, %{{.*}}, %[[G]]) {joined = #xf.joined<same_tasks>}
xf.entry @gate(%x: !xf.real<n, 8>) -> !xf.real<n, 64> {
  %WG = xf.weight @WG : <8, 64>
  %g = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %WQ = xf.weight @WQ : <8, 64>
  %y = xf.launch @gated(%x, %WQ, %g) : (!xf.real<n, 8>, !xf.real<8, 64>, !xf.real<n, 64>) -> !xf.real<n, 64>
  xf.return %y : !xf.real<n, 64>
}

// Of three, the last reads the first, but tasks are only matched with those of the previous one.
// CHECK-LABEL: xf.entry @not_next
// CHECK: %[[G:.*]] = xf.launch @wide(%arg0, %{{.*}}) :
// CHECK-NEXT: xf.launch @narrow({{.*}}) {joined = #xf.joined<independent>}
// CHECK-NEXT: xf.launch @gated(%arg0, %{{.*}}, %[[G]]) :
xf.entry @not_next(%x: !xf.real<n, 8>) -> (!xf.real<n, 32>, !xf.real<n, 64>) {
  %WG = xf.weight @WG : <8, 64>
  %WK = xf.weight @WK : <8, 32>
  %g = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %k = xf.launch @narrow(%x, %WK) : (!xf.real<n, 8>, !xf.real<8, 32>) -> !xf.real<n, 32>
  %y = xf.launch @gated(%x, %WG, %g) : (!xf.real<n, 8>, !xf.real<8, 64>, !xf.real<n, 64>) -> !xf.real<n, 64>
  xf.return %k, %y : !xf.real<n, 32>, !xf.real<n, 64>
}

// CHECK-LABEL: xf.entry @other_tasks
// CHECK-NOT: joined
// CHECK: xf.return
xf.entry @other_tasks(%x: !xf.real<n, 8>) -> !xf.real<n, 64> {
  %WG = xf.weight @WG : <8, 64>
  %g = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %y = xf.launch @halves(%x, %WG, %g) : (!xf.real<n, 8>, !xf.real<8, 64>, !xf.real<n, 64>) -> !xf.real<n, 64>
  xf.return %y : !xf.real<n, 64>
}

// CHECK-LABEL: xf.entry @reads_rows
// CHECK-NOT: joined
// CHECK: xf.return
xf.entry @reads_rows(%x: !xf.real<n, 8>, %V: !xf.real<64, 64>) -> !xf.real<n, 64> {
  %WG = xf.weight @WG : <8, 64>
  %g = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %y = xf.launch @product(%x, %WG, %g, %V) : (!xf.real<n, 8>, !xf.real<8, 64>, !xf.real<n, 64>, !xf.real<64, 64>) -> !xf.real<n, 64>
  xf.return %y : !xf.real<n, 64>
}

// Another kernel changes the result of the first before the second reads it.
// CHECK-LABEL: xf.entry @between
// CHECK-NOT: joined
// CHECK: xf.return
xf.entry @between(%x: !xf.real<n, 8>) -> !xf.real<n, 64> {
  %WG = xf.weight @WG : <8, 64>
  %g = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %h = xf.launch @bend(%g) : (!xf.real<n, 64>) -> !xf.real<n, 64>
  %y = xf.launch @gated(%x, %WG, %h) : (!xf.real<n, 8>, !xf.real<8, 64>, !xf.real<n, 64>) -> !xf.real<n, 64>
  xf.return %y : !xf.real<n, 64>
}

// Other rows, no form for few rows, a launch per sequence.
// CHECK-LABEL: xf.entry @apart
// CHECK-NOT: joined
// CHECK: xf.return
xf.entry @apart(%x: !xf.real<n, 8>, %z: !xf.real<n, 8>) -> (!xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 32>) {
  %WG = xf.weight @WG : <8, 64>
  %WK = xf.weight @WK : <8, 32>
  %a = xf.launch @wide(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %b = xf.launch @wide(%z, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %c = xf.launch @many(%x, %WG) : (!xf.real<n, 8>, !xf.real<8, 64>) -> !xf.real<n, 64>
  %d = xf.launch @narrow(%x, %WK) {per_sequence} : (!xf.real<n, 8>, !xf.real<8, 32>) -> !xf.real<n, 32>
  xf.return %a, %b, %c, %d : !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 32>
}
