// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -pass-pipeline="builtin.module(xf.entry(xf-place-memory))" | FileCheck %s
// Transfers between host and device, and copies that a loop may need.

xf.kernel @k(%x: !xf.real<n, 8>) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %x : !xf.real<n, 8>
}

// An argument is transferred once, regardless of the number of its reads; one that is not
// read is not transferred. Each result is transferred back separately.
// CHECK-LABEL: xf.entry @straight(
// CHECK-SAME: %[[X:.*]]: !xf.real<n, 8>, %[[UNUSED:.*]]: !xf.real<n, 8>)
// CHECK-NEXT: %[[D:.*]] = xf.transfer %[[X]] to "cpu" : !xf.real<n, 8>
// CHECK-NEXT: %[[A:.*]] = xf.launch @k(%[[D]])
// CHECK-NEXT: %[[B:.*]] = xf.launch @k(%[[D]])
// CHECK-NEXT: %[[R0:.*]] = xf.transfer %[[A]] to "host" : !xf.real<n, 8>
// CHECK-NEXT: %[[R1:.*]] = xf.transfer %[[B]] to "host" : !xf.real<n, 8>
// CHECK-NEXT: %[[R2:.*]] = xf.transfer %[[A]] to "host" : !xf.real<n, 8>
// CHECK-NEXT: xf.return %[[R0]], %[[R1]], %[[R2]]
xf.entry @straight(%x: !xf.real<n, 8>, %unused: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>) {
  %a = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  %b = xf.launch @k(%x) : (!xf.real<n, 8>) -> !xf.real<n, 8>
  xf.return %a, %b, %a : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
}

// Carried values of a loop, into it and from layer to layer; nothing else is transferred.
// CHECK-LABEL: xf.entry @loop(
// CHECK-SAME: %[[X:.*]]: !xf.real<n, 8>)
// CHECK-NEXT: %[[D:.*]] = xf.transfer %[[X]] to "cpu"
// CHECK-NEXT: %[[INIT:.*]] = xf.transfer %[[D]] to "cpu"
// CHECK-NEXT: %[[Y:.*]] = xf.layers %{{.*}} < 6 (%[[C:.*]] = %[[INIT]])
// CHECK-NEXT:   %[[Z:.*]] = xf.launch @k(%[[C]])
// CHECK-NEXT:   %[[NEXT:.*]] = xf.transfer %[[Z]] to "cpu"
// CHECK-NEXT:   xf.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:.*]] = xf.transfer %[[Y]] to "host"
// CHECK-NEXT: xf.return %[[R]]
xf.entry @loop(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.layers %l < 6 (%c = %x) : !xf.real<n, 8> {
    %z = xf.launch @k(%c) : (!xf.real<n, 8>) -> !xf.real<n, 8>
    xf.yield %z : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}

// Two carried values are swapped: each is saved before the other's buffer is
// overwritten. One that is carried unchanged needs no such copy.
// CHECK-LABEL: xf.entry @exchange(
// CHECK: xf.layers %{{.*}} < 6 (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK-NEXT: %[[SAVED_B:.*]] = xf.transfer %[[B]] to "cpu"
// CHECK-NEXT: %[[SAVED_A:.*]] = xf.transfer %[[A]] to "cpu"
// CHECK-NEXT: %[[NEXT_A:.*]] = xf.transfer %[[SAVED_B]] to "cpu"
// CHECK-NEXT: %[[NEXT_B:.*]] = xf.transfer %[[SAVED_A]] to "cpu"
// CHECK-NEXT: %[[NEXT_C:.*]] = xf.transfer %[[C]] to "cpu"
// CHECK-NEXT: xf.yield %[[NEXT_A]], %[[NEXT_B]], %[[NEXT_C]]
xf.entry @exchange(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %z:3 = xf.layers %l < 6 (%a = %x, %b = %y, %c = %x) : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8> {
    xf.yield %b, %a, %c : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
  }
  xf.return %z#0 : !xf.real<n, 8>
}
