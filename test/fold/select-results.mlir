// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-select-results=results=logits | FileCheck %s
// RUN: %transfold-opt %s -xf-select-results | FileCheck %s --check-prefix=DEFAULT
// RUN: %transfold-opt %s -xf-select-results=results=all -xf-select-results | FileCheck %s --check-prefix=ALL
// RUN: %transfold-opt %s -xf-select-results=results=last_hidden | FileCheck %s --check-prefix=HIDDEN
// RUN: not %transfold-opt %s -xf-select-results=results=logit 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// Entries keep the requested results, and what these need.

// UNKNOWN: error: no entry has a result 'logit'; there are memory, logits, hidden, pooled

// CHECK-NOT: @P
// DEFAULT-NOT: @unread
// HIDDEN-NOT: @W
xf.stored @W : !xf.real<8, 8> from "W" as <([8:8], [8:1])>
xf.stored @P : !xf.real<8, 8> from "P" as <([8:8], [8:1])>
xf.stored @unread : !xf.real<8, 8> from "u" as <([8:8], [8:1])>

// A result that another entry reads is kept if that entry is kept.
// CHECK: xf.entry @encode(%{{.*}}) -> (!xf.real<m, 8> {xf.name = "memory"})
// DEFAULT: xf.entry @encode(
// ALL: xf.entry @encode(
// HIDDEN: xf.entry @encode(
xf.entry @encode(%x: !xf.real<m, 8>) -> (!xf.real<m, 8> {xf.name = "memory"}) {
  %h = xf.relu %x : <m, 8>
  xf.return %h : !xf.real<m, 8>
}

// Without names, results on request are not made; if the first result is
// removed, the entry does not generate tokens.
// CHECK: xf.entry @decode(%{{.*}}: !xf.real<n, 8> {xf.causal}, %{{.*}}) -> (!xf.real<n, 8> {xf.name = "logits"}) {
// CHECK-NOT: xf.gelu
// DEFAULT: xf.entry @decode(%{{.*}}: !xf.real<n, 8> {xf.causal}, %{{.*}}) -> (!xf.real<n, 8> {xf.name = "logits"}) {
// DEFAULT-NOT: xf.gelu
// ALL: xf.entry @decode(%{{.*}}: !xf.real<n, 8> {xf.causal}, %{{.*}}) -> (!xf.real<n, 8> {xf.name = "logits"}, !xf.real<n, 8> {xf.external = "last_hidden", xf.name = "hidden"}) {
// ALL-NOT: xf.gelu
// HIDDEN: xf.entry @decode(%{{.*}}: !xf.real<n, 8>, %{{.*}}) -> (!xf.real<n, 8> {xf.external = "last_hidden", xf.name = "hidden"}) {
xf.entry @decode(%x: !xf.real<n, 8> {xf.causal}, %memory: !xf.real<m, 8> {xf.name = "memory"})
    -> (!xf.real<n, 8> {xf.name = "logits"},
        !xf.real<n, 8> {xf.external = "last_hidden", xf.name = "hidden", xf.on_request}) {
  %W = xf.weight @W : <8, 8>
  %dead = xf.gelu %x : <n, 8>
  %h = xf.relu %x : <n, 8>
  %y = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %y, %h : !xf.real<n, 8>, !xf.real<n, 8>
}
// CHECK-NOT: xf.entry @pool
// DEFAULT: xf.entry @pool
// ALL: xf.entry @pool
// HIDDEN-NOT: xf.entry @pool
xf.entry @pool(%x: !xf.real<n, 8>) -> (!xf.real<n, 8> {xf.name = "pooled"}) {
  %P = xf.weight @P : <8, 8>
  %y = xf.contract %x[n, k], %P[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %y : !xf.real<n, 8>
}
