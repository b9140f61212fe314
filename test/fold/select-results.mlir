// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-select-results=results=logits | FileCheck %s
// RUN: %transfold-opt %s -xf-select-results | FileCheck %s --check-prefix=ALL
// RUN: not %transfold-opt %s -xf-select-results=results=logit 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// Entries keep the results that are asked for, and what these need.

// UNKNOWN: error: no entry has a result 'logit'; there are hidden, logits, pooled

// CHECK-NOT: @P
// ALL-NOT: @unread
xf.stored @W : !xf.real<8, 8> from "W" as <([8:8], [8:1])>
xf.stored @P : !xf.real<8, 8> from "P" as <([8:8], [8:1])>
xf.stored @unread : !xf.real<8, 8> from "u" as <([8:8], [8:1])>

// CHECK: xf.entry @decode(%{{.*}}) -> (!xf.real<n, 8> {xf.name = "logits"}) {
// CHECK-NOT: xf.gelu
// ALL: xf.entry @decode(%{{.*}}) -> (!xf.real<n, 8> {xf.name = "hidden"}, !xf.real<n, 8> {xf.name = "logits"}) {
// ALL-NOT: xf.gelu
xf.entry @decode(%x: !xf.real<n, 8>) -> (!xf.real<n, 8> {xf.name = "hidden"}, !xf.real<n, 8> {xf.name = "logits"}) {
  %W = xf.weight @W : <8, 8>
  %dead = xf.gelu %x : <n, 8>
  %h = xf.relu %x : <n, 8>
  %y = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %h, %y : !xf.real<n, 8>, !xf.real<n, 8>
}
// CHECK-NOT: xf.entry @pool
// ALL: xf.entry @pool
xf.entry @pool(%x: !xf.real<n, 8>) -> (!xf.real<n, 8> {xf.name = "pooled"}) {
  %P = xf.weight @P : <8, 8>
  %y = xf.contract %x[n, k], %P[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %y : !xf.real<n, 8>
}
