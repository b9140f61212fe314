// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-tap-layers | FileCheck %s
// RUN: %transfold-opt %s -xf-fold-gauges -xf-tap-layers | FileCheck %s --check-prefix=FOLDED
// RUN: not %transfold-opt %s -xf-tap-layers -xf-fold-gauges 2>&1 | FileCheck %s --check-prefix=LATE
// Layer outputs become results, without the factor that folding gave them.

// LATE: error: constants can be folded in whole loops only: cut loops afterwards

xf.stored @E : !xf.real<160, 8> from "E" as <([160:8], [8:1])>
xf.stored @P : !xf.real<64, 8> from "P" as <([64:8], [8:1])>
xf.stored @W[l = 3] : !xf.real<8, 8> from "W.{l}" as <([8:8], [8:1])>

// CHECK: xf.entry @decode(%[[T:.*]]: !xf.integer<n>) -> (!xf.real<n, 8> {xf.name = "y"}, !xf.real<n, 8> {xf.external = "decode.layer0", xf.name = "decode.layer0"}, !xf.real<n, 8> {xf.external = "decode.layer1", xf.name = "decode.layer1"}, !xf.real<n, 8> {xf.external = "decode.layer2", xf.name = "decode.layer2"}) {
// CHECK: %[[Y0:.*]] = xf.layers %[[L:.*]] < 1 (%{{.*}} = %[[X:.*]]) : !xf.real<n, 8> {
// CHECK: xf.weight @W[%[[L]]]
// CHECK: %[[Y1:.*]] = xf.layers 1 <= %{{.*}} < 2 (%{{.*}} = %[[Y0]])
// CHECK: %[[Y2:.*]] = xf.layers 2 <= %{{.*}} < 3 (%{{.*}} = %[[Y1]])
// CHECK: %[[N:.*]] = xf.unit_rms %[[Y2]]
// CHECK: xf.return %[[N]], %[[Y0]], %[[Y1]], %[[Y2]]

// The stream is stored without its √d, up to the norm that ends it.
// FOLDED: xf.entry @decode
// FOLDED-NOT: xf.scale
// FOLDED: %[[Y0:.*]] = xf.layers %{{.*}} < 1
// FOLDED: %[[T0:.*]] = xf.scale %[[Y0]] by <"sqrt(8)"> "gauge of layer0"
// FOLDED: %[[Y1:.*]] = xf.layers 1 <= %{{.*}} < 2 (%{{.*}} = %[[Y0]])
// FOLDED: %[[T1:.*]] = xf.scale %[[Y1]] by <"sqrt(8)"> "gauge of layer1"
// FOLDED: %[[T2:.*]] = xf.scale %[[Y2:.*]] by <"sqrt(8)"> "gauge of layer2"
// FOLDED: xf.return %{{.*}}, %[[T0]], %[[T1]], %[[T2]]
xf.entry @decode(%t: !xf.integer<n>) -> (!xf.real<n, 8> {xf.name = "y"}) {
  %E = xf.weight @E : <160, 8>
  %e = xf.gather %E[%t] : <160, 8>, <n>
  %s = xf.scale %e by <"sqrt(8)"> "√d" : <n, 8>
  %y = xf.layers %l < 3 (%x = %s) : !xf.real<n, 8> {
    %W = xf.weight @W[%l] : <8, 8>
    %z = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
    %a = xf.add %x[n, c], %z[n, c] -> [n, c] : <n, 8>, <n, 8>
    xf.yield %a : !xf.real<n, 8>
  }
  %u = xf.unit_rms %y epsilon <"1/100"> : <n, 8>
  xf.return %u : !xf.real<n, 8>
}

// An entry without layers is unchanged.
// CHECK: xf.entry @plain(%arg0: !xf.real<n>) -> (!xf.real<n> {xf.name = "z"}) {
xf.entry @plain(%x: !xf.real<n>) -> (!xf.real<n> {xf.name = "z"}) {
  %z = xf.relu %x : <n>
  xf.return %z : !xf.real<n>
}
