// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-memory,xf-plan-memory))" | FileCheck %s
// Which values share memory, and which must not.

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @two(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}
xf.kernel @wide(%x: !xf.real<n, 8>) -> !xf.real<n, 32> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.append %x, %x axis 1 : <n, 8>, <n, 8> -> <n, 16>
  %1 = xf.append %0, %0 axis 1 : <n, 16>, <n, 16> -> <n, 32>
  xf.return %1 : !xf.real<n, 32>
}
xf.kernel @narrow(%x: !xf.real<n, 32>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.slice %x axis 1 from 0 : <n, 32> -> <n, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.kernel @pool(%x: !xf.real<n, 8>) -> !xf.real<8> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : <n, 8>
  xf.return %0 : !xf.real<8>
}
xf.kernel @token(%x: !xf.integer<n>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.constant <"1"> : <>
  %1 = xf.rearrange %0[] -> [(), ()] : <> -> <1, 1>
  %2 = xf.repeat %1 axis 1 times 8 : <1, 1>
  %3 = xf.gather %2[%x] : <1, 8>, <n>
  xf.return %3 : !xf.real<n, 8>
}

xf.kernel @pick(%x: !xf.real<n, 8>, %r: !xf.real<n>) -> !xf.real<chosen0, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.compress %x by %r : <n, 8>, <n> -> <chosen0, 8>
  xf.return %0 : !xf.real<chosen0, 8>
}

// The number of chosen rows may be that of all rows.
// CHECK-LABEL: xf.entry @chosen
// CHECK-SAME: slots = [array<i64: 0, 32>
// CHECK: xf.launch @pick{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>, counted_by = 1 : i64}
xf.entry @chosen(%x: !xf.real<n, 8>, %r: !xf.real<n>) -> !xf.real<n, 8> {
  %p = xf.launch @pick(%x, %r) {counted_by = 1 : i64} : (!xf.real<n, 8>, !xf.real<n>) -> !xf.real<chosen0, 8>
  %s = xf.launch @spread(%p, %r) : (!xf.real<chosen0, 8>, !xf.real<n>) -> !xf.real<n, 8>
  xf.return %s : !xf.real<n, 8>
}
xf.kernel @spread(%x: !xf.real<chosen0, 8>, %r: !xf.real<n>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.expand %x by %r : <chosen0, 8>, <n>
  xf.return %0 : !xf.real<n, 8>
}

// A slot is free again after the last read. The kernel with the last read
// writes elsewhere; a slot is as large as its largest user; the last value is
// computed where the caller wants it.
// CHECK-LABEL: xf.entry @chain
// CHECK-SAME: slots = [array<i64: 0, 128>, array<i64: 0, 32>]
// CHECK: xf.transfer {{.*}} {buffer = #xf.buffer<"cpu", argument, 0>}
// CHECK: xf.launch @wide{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @narrow{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer {{.*}} to "host" {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @chain(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %a = xf.launch @wide(%x) : (!xf.real<n, 8>) -> !xf.real<n, 32>
  %b = xf.launch @narrow(%a) : (!xf.real<n, 32>) -> !xf.real<n, 8>
  %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %d = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %d : !xf.real<n, 8>
}

// A value that is read later keeps its slot.
// CHECK-LABEL: xf.entry @residual
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 2>}
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @residual(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %d = xf.launch @two(%c, %a) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %d : !xf.real<n, 8>
}

// A view is its source: %a stays as long as %v is read.
// CHECK-LABEL: xf.entry @view
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 2>}
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @view(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %v = xf.rearrange %a[n, (i c)] -> [i, n, c] : <n, 8> -> <2, n, 4>
  %w = xf.rearrange %v[i, n, c] -> [n, (i c)] : <2, n, 4> -> <n, 8>
  %b = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %d = xf.launch @two(%c, %w) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %d : !xf.real<n, 8>
}

// Two lengths: a slot is as large as its largest user in the coefficient of each.
// Slot 0 holds %a of n rows, then %c and %e of m rows.
// CHECK-LABEL: xf.entry @lengths
// CHECK-SAME: slots = [array<i64: 0, 32, 32>, array<i64: 0, 0, 32>]
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @pool{{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
xf.entry @lengths(%x: !xf.real<n, 8>, %y: !xf.real<m, 8>) -> (!xf.real<n, 8>, !xf.real<8>) {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %c = xf.launch @k(%y) : (!xf.real<m, 8>) -> !xf.real<m, 8>
  %d = xf.launch @k(%c) : (!xf.real<m, 8>) -> !xf.real<m, 8>
  %e = xf.launch @k(%d) : (!xf.real<m, 8>) -> !xf.real<m, 8>
  %p = xf.launch @pool(%e) : (!xf.real<m, 8>) -> !xf.real<8>
  xf.return %b, %p : !xf.real<n, 8>, !xf.real<8>
}

// The next value is computed in place of the current one, which was read
// before: no transfer copies. %x0 is the loop's first value, and the loop works
// in the caller's memory.
// CHECK-LABEL: xf.entry @in_place
// CHECK-SAME: slots = [array<i64: 0, 32>]
// CHECK: xf.launch @token{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.layers
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.yield
xf.entry @in_place(%tokens: !xf.integer<n>) -> !xf.real<n, 8> {
  %x0 = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 8> {
    %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// The kernel that computes the next value reads the current one: the next one
// is computed in a slot, and copied.
// CHECK-LABEL: xf.entry @copied
// CHECK: xf.layers
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.transfer {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.yield
xf.entry @copied(%tokens: !xf.integer<n>) -> !xf.real<n, 8> {
  %x0 = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 8> {
    %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %b = xf.launch @two(%a, %x) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// An argument keeps its value: a loop that starts from it works on a copy.
// CHECK-LABEL: xf.entry @argument
// CHECK: %[[D:.*]] = xf.transfer %{{.*}} {buffer = #xf.buffer<"cpu", argument, 0>}
// CHECK: xf.transfer %[[D]] {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.layers
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @argument(%x0: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 8> {
    %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// The first value is read in the loop and after it: the loop works on a copy.
// CHECK-LABEL: xf.entry @kept
// CHECK: %[[X0:.*]] = xf.launch @token{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.transfer %[[X0]] {{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.layers
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", arena, 2>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.yield
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @kept(%tokens: !xf.integer<n>) -> !xf.real<n, 8> {
  %x0 = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 8> {
    %a = xf.launch @two(%x, %x0) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
    %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  %z = xf.launch @two(%y, %x0) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %z : !xf.real<n, 8>
}

// The same through a view: the loop starts from a view of %a, and %a is read
// after it.
// CHECK-LABEL: xf.entry @kept_view
// CHECK: %[[A:.*]] = xf.launch @token{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: %[[V:.*]] = xf.rearrange %[[A]]
// CHECK: xf.transfer %[[V]] {{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.layers
xf.entry @kept_view(%tokens: !xf.integer<n>) -> !xf.real<n, 8> {
  %a = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %v = xf.rearrange %a[n, c] -> [n, c] : <n, 8> -> <n, 8>
  %y = xf.layers %l < 6 (%x = %v) : !xf.real<n, 8> {
    %b = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %c : !xf.real<n, 8>
  }
  %z = xf.launch @two(%y, %a) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %z : !xf.real<n, 8>
}

// Two carried values start from one: each has its buffer, one is copied.
// CHECK-LABEL: xf.entry @same_init
// CHECK: %[[X0:.*]] = xf.launch @token{{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
// CHECK: xf.transfer %[[X0]] {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer %[[X0]] {{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
// CHECK: xf.layers
xf.entry @same_init(%tokens: !xf.integer<n>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %x0 = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %y:2 = xf.layers %l < 6 (%a = %x0, %b = %x0) : !xf.real<n, 8>, !xf.real<n, 8> {
    %c = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %c, %b : !xf.real<n, 8>, !xf.real<n, 8>
  }
  xf.return %y#0, %y#1 : !xf.real<n, 8>, !xf.real<n, 8>
}

// Two carried values continue with one: it is computed in one buffer and copied
// to the other.
// CHECK-LABEL: xf.entry @same_next
// CHECK: xf.layers
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", arena, [[SLOT:.*]]>}
// CHECK: %[[D:.*]] = xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer %[[D]] {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer %[[D]] {{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
xf.entry @same_next(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %z:2 = xf.layers %l < 6 (%a = %x, %b = %y) : !xf.real<n, 8>, !xf.real<n, 8> {
    %c = xf.launch @two(%a, %b) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
    %d = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %d, %d : !xf.real<n, 8>, !xf.real<n, 8>
  }
  xf.return %z#0, %z#1 : !xf.real<n, 8>, !xf.real<n, 8>
}

// The current value becomes another carried value: it is saved before its
// buffer is written, so the next one cannot be computed there.
// CHECK-LABEL: xf.entry @shift
// CHECK: xf.layers {{.*}} (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[C:.*]] = xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, [[C_SLOT:[0-9]+]]>}
// CHECK: %[[SAVED:.*]] = xf.transfer %[[A]] {{.*}} {buffer = #xf.buffer<"cpu", arena, [[SAVED_SLOT:[0-9]+]]>}
// CHECK: xf.transfer %[[C]] {{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer %[[SAVED]] {{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
xf.entry @shift(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %z:2 = xf.layers %l < 6 (%a = %x, %b = %y) : !xf.real<n, 8>, !xf.real<n, 8> {
    %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %c, %a : !xf.real<n, 8>, !xf.real<n, 8>
  }
  xf.return %z#0, %z#1 : !xf.real<n, 8>, !xf.real<n, 8>
}

// A value from before the loop that the loop reads keeps its slot in every layer.
// CHECK-LABEL: xf.entry @outer
// CHECK: %[[E:.*]] = xf.launch @token{{.*}} {buffer = #xf.buffer<"cpu", arena, 0>}
// CHECK: xf.layers
// CHECK: xf.launch @two{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 2>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", arena, 1>}
// CHECK: xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 0>}
xf.entry @outer(%tokens: !xf.integer<n>, %x0: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %e = xf.launch @token(%tokens) : (!xf.integer<n>) -> !xf.real<n, 8>
  %y = xf.layers %l < 6 (%x = %x0) : !xf.real<n, 8> {
    %a = xf.launch @two(%x, %e) : (!xf.real<n, 8>, !xf.real<n, 8>) -> !xf.real<n, 8>
    %b = xf.launch @k(%a) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %c = xf.launch @k(%b) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    %d = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %d : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// A result that is an argument is copied; a value that is returned twice is
// computed in the first place and copied to the second.
// CHECK-LABEL: xf.entry @results
// CHECK: %[[D:.*]] = xf.transfer %{{.*}} to "cpu" {buffer = #xf.buffer<"cpu", argument, 0>}
// CHECK: %[[A:.*]] = xf.launch @k{{.*}} {buffer = #xf.buffer<"cpu", result, 1>}
// CHECK: xf.transfer %[[D]] to "host" {buffer = #xf.buffer<"cpu", result, 0>}
// CHECK: xf.transfer %[[A]] to "host" {buffer = #xf.buffer<"cpu", result, 1>}
// CHECK: xf.transfer %[[A]] to "host" {buffer = #xf.buffer<"cpu", result, 2>}
xf.entry @results(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>) {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %x, %a, %a : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
}
