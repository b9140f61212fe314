// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// The caches that steps of a sequence leave for later steps, as text.

// CHECK: xf.cache @keys[l = 2] : !xf.real<2, n, 16> window 4
xf.cache @keys[l = 2] : !xf.real<2, n, 16> window 4
// CHECK: xf.cache @narrow : !xf.real<n, 8> in bf16
xf.cache @narrow : !xf.real<n, 8> in bf16
// CHECK: xf.cache @memory : !xf.real<8>
xf.cache @memory : !xf.real<8>

// CHECK-LABEL: xf.entry @decode.step
// CHECK-SAME: stage = #xf.stage<step>, stage_of = @decode
xf.entry @decode.step(%k: !xf.real<2, n, 16>, %s: !xf.real<4, n, n.seen>, %P: !xf.real<64, 8>, %first: !xf.integer<> {xf.first_of = "n"}) -> !xf.real<4, n, n.seen> attributes {stage = #xf.stage<step>, stage_of = @decode} {
  %out = xf.layers %l < 2 (%x = %s) : !xf.real<4, n, n.seen> {
    // CHECK: xf.cache_write %{{.*}} in @keys[%[[L:.*]]] from %[[FIRST:.*]] : <2, n, 16>
    xf.cache_write %k in @keys[%l] from %first : <2, n, 16>
    // CHECK: %{{.*}} = xf.cache_read @keys[%[[L]]] : <2, n.seen, 16>
    %all = xf.cache_read @keys[%l] : <2, n.seen, 16>
    // CHECK: xf.softmax %{{.*}} from %[[FIRST]] where [j <= i] : <4, n, n.seen>
    %p = xf.softmax %x from %first where [j <= i] : <4, n, n.seen>
    xf.yield %p : !xf.real<4, n, n.seen>
  }
  // CHECK: xf.cache_read @memory : <8>
  %m = xf.cache_read @memory : <8>
  // CHECK: xf.cache_write %{{.*}} in @memory : <8>
  xf.cache_write %m in @memory : <8>
  // CHECK: xf.tabulate "[t] = t"() from %[[FIRST]] : () -> !xf.real<n>
  %t = xf.tabulate "[t] = t"() from %first : () -> !xf.real<n>
  // CHECK: xf.slice %{{.*}} axis 0 from 2 behind %[[FIRST]] : <64, 8> -> <n, 8>
  %q = xf.slice %P axis 0 from 2 behind %first : <64, 8> -> <n, 8>
  xf.return %out : !xf.real<4, n, n.seen>
}
