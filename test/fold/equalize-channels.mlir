// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-equalize-channels | FileCheck %s
// RUN: %transfold-opt %s -split-input-file -xf-equalize-channels | %transfold-opt -split-input-file | FileCheck %s
// RUN: %transfold-opt %s -split-input-file "-xf-equalize-channels=keep=γ" | FileCheck %s --check-prefix=KEPT
// RUN: %transfold-opt %s -split-input-file -xf-equalize-channels=random=1 | FileCheck %s --check-prefix=RANDOM
// Channels that only quantized matrices read get factors.

// A gain is divided by the factors that both of its readers are multiplied by.
// CHECK: xf.channel_scales @norm.gamma.channels : 64
// CHECK: xf.stored @norm.gamma {{.*}} equalized [<channels = @norm.gamma.channels, layout = <([64:1])>, inverse = true>]
// CHECK: xf.stored @W {{.*}} rounded q4_1 equalized [<channels = @norm.gamma.channels, layout = <([64:1])>>]
// CHECK: xf.stored @H {{.*}} rounded q4_1 equalized [<channels = @norm.gamma.channels, layout = <([64:1])>>]
// CHECK: xf.moved "channels" "norm.gamma" to ["W", "H"] readers 2
// KEPT: xf.moved "channels" "norm.gamma" to [] readers 0 kept "--no-fold"
// RANDOM: xf.channel_scales @norm.gamma.channels : 64 of [{{[0-9]}}
xf.stored @norm.gamma : !xf.real<64> from "gamma" as <([64:1])>
xf.stored @W : !xf.real<64, 8> from "W" as <([64:1], [8:64])> rounded q4_1
xf.stored @H : !xf.real<2, 64, 2> from "H" as <([2:128], [64:1], [2:64])> rounded q4_1
xf.entry @projections(%x: !xf.real<n, 64>) -> (!xf.real<n, 8>, !xf.real<2, n, 2>) {
  %g = xf.weight @norm.gamma : <64>
  %W = xf.weight @W : <64, 8>
  %H = xf.weight @H : <2, 64, 2>
  %y = xf.multiply %x[n, k], %g[k] -> [n, k] : <n, 64>, <64>
  %z = xf.contract %y[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 8>
  %u = xf.contract %y[n, k], %H[i, k, c] -> [i, n, c] : <n, 64>, <2, 64, 2>
  xf.return %z, %u : !xf.real<n, 8>, !xf.real<2, n, 2>
}

// -----

// Values of two heads, each read by two query heads: the output's rows have
// their factors, in the layer with the same index.
// CHECK: xf.channel_scales @V.channels[l = 3] : 32
// CHECK: xf.stored @V[l = 3] {{.*}} equalized [<channels = @V.channels, layout = <([2:1024], [16:64])>, inverse = true>]
// CHECK: xf.stored @O[l = 3] {{.*}} numbers = 0, 1, 2, {{.*}}, 14, 15, 0, 1, {{.*}}, 14, 15, 16, 17, {{.*}}, 31, 16, {{.*}}, 31>]
xf.stored @V[l = 3] : !xf.real<2, 64, 16> from "{l}.V" as <([2:1024], [64:1], [16:64])> rounded q8_0
xf.stored @O[l = 3] : !xf.real<64, 64> from "{l}.O" as <([64:1], [64:64])> rounded q8_0
xf.entry @values(%x: !xf.real<n, 64>, %S: !xf.real<4, n, n>) -> !xf.real<n, 64> {
  %r = xf.layers %l < 3 (%h = %x) : !xf.real<n, 64> {
    %V = xf.weight @V[%l] : <2, 64, 16>
    %v = xf.contract %h[r, k], %V[i, k, c] -> [i, r, c] : <n, 64>, <2, 64, 16>
    %P = xf.softmax %S where [j <= i] : <4, n, n>
    %w = xf.repeat %v axis 0 times 2 : <2, n, 16>
    %a = xf.contract %P[i, r, k], %w[i, k, c] -> [i, r, c] : <4, n, n>, <4, n, 16>
    %m = xf.rearrange %a[i, r, c] -> [r, (i c)] : <4, n, 16> -> <n, 64>
    %O = xf.weight @O[%l] : <64, 64>
    %o = xf.contract %m[r, k], %O[k, c] -> [r, c] : <n, 64>, <64, 64>
    %next = xf.add %h[a, b], %o[a, b] -> [a, b] : <n, 64>, <n, 64>
    xf.yield %next : !xf.real<n, 64>
  }
  xf.return %r : !xf.real<n, 64>
}

// -----

// One of two gated projections passes its channels on; the other one is
// followed by a sigmoid.
// CHECK-NOT: @gate.channels
// CHECK: xf.channel_scales @up.channels : 64
// CHECK: xf.moved "channels" "up" to ["down"]
// CHECK-NOT: xf.moved
xf.stored @gate : !xf.real<64, 64> from "gate" as <([64:1], [64:64])> rounded q4_1
xf.stored @up : !xf.real<64, 64> from "up" as <([64:1], [64:64])> rounded q4_1
xf.stored @down : !xf.real<64, 64> from "down" as <([64:1], [64:64])> rounded q4_1
xf.entry @gated(%x: !xf.real<n, 64>) -> !xf.real<n, 64> {
  %G = xf.weight @gate : <64, 64>
  %U = xf.weight @up : <64, 64>
  %D = xf.weight @down : <64, 64>
  %g = xf.contract %x[n, k], %G[k, c] -> [n, c] : <n, 64>, <64, 64>
  %s = xf.sigmoid %g : <n, 64>
  %u = xf.contract %x[n, k], %U[k, c] -> [n, c] : <n, 64>, <64, 64>
  %p = xf.multiply %s[n, c], %u[n, c] -> [n, c] : <n, 64>, <n, 64>
  %d = xf.contract %p[n, k], %D[k, c] -> [n, c] : <n, 64>, <64, 64>
  xf.return %d : !xf.real<n, 64>
}

// -----

// No factors if a residual stream also reads the channels; if a matrix is not
// quantized; if another value is combined with them; for a 16-bit weight, which
// would be rounded again; for a matrix of another layer.
// CHECK-NOT: equalized
// CHECK-NOT: xf.channel_scales
xf.stored @g1 : !xf.real<64> from "g1" as <([64:1])>
xf.stored @g2 : !xf.real<64> from "g2" as <([64:1])>
xf.stored @g3 : !xf.real<64> from "g3" as <([64:1])>
xf.stored @g4 : !xf.real<64> from "g4" in bf16 as <([64:1])>
xf.stored @g5[l = 2] : !xf.real<64> from "g5.{l}" as <([64:1])>
xf.stored @A : !xf.real<64, 64> from "A" as <([64:1], [64:64])> rounded q4_1
xf.stored @B : !xf.real<64, 64> from "B" as <([64:1], [64:64])>
xf.stored @C : !xf.real<64, 64> from "C" as <([64:1], [64:64])> rounded q4_1
xf.stored @D : !xf.real<64, 64> from "D" as <([64:1], [64:64])> rounded q4_1
xf.stored @E : !xf.real<64, 64> from "E" as <([64:1], [64:64])> rounded q4_1
xf.entry @none(%x: !xf.real<n, 64>) -> (!xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>) {
  %g1 = xf.weight @g1 : <64>
  %g2 = xf.weight @g2 : <64>
  %g3 = xf.weight @g3 : <64>
  %g4 = xf.weight @g4 : <64>
  %A = xf.weight @A : <64, 64>
  %B = xf.weight @B : <64, 64>
  %C = xf.weight @C : <64, 64>
  %D = xf.weight @D : <64, 64>
  %E = xf.weight @E : <64, 64>
  %1 = xf.multiply %x[n, k], %g1[k] -> [n, k] : <n, 64>, <64>
  %a = xf.contract %1[n, k], %A[k, c] -> [n, c] : <n, 64>, <64, 64>
  %stream = xf.add %1[n, k], %a[n, k] -> [n, k] : <n, 64>, <n, 64>
  %2 = xf.multiply %x[n, k], %g2[k] -> [n, k] : <n, 64>, <64>
  %b = xf.contract %2[n, k], %B[k, c] -> [n, c] : <n, 64>, <64, 64>
  %3 = xf.multiply %x[n, k], %g3[k] -> [n, k] : <n, 64>, <64>
  %c = xf.contract %3[n, k], %C[k, c] -> [n, c] : <n, 64>, <64, 64>
  %c2 = xf.contract %x[n, k], %C[k, c] -> [n, c] : <n, 64>, <64, 64>
  %c3 = xf.add %c[n, k], %c2[n, k] -> [n, k] : <n, 64>, <n, 64>
  %4 = xf.multiply %x[n, k], %g4[k] -> [n, k] : <n, 64>, <64>
  %d = xf.contract %4[n, k], %D[k, c] -> [n, c] : <n, 64>, <64, 64>
  %e = xf.layers %l < 2 (%h = %x) : !xf.real<n, 64> {
    %g5 = xf.weight @g5[%l] : <64>
    %5 = xf.multiply %h[n, k], %g5[k] -> [n, k] : <n, 64>, <64>
    %f = xf.contract %5[n, k], %E[k, c] -> [n, c] : <n, 64>, <64, 64>
    xf.yield %f : !xf.real<n, 64>
  }
  xf.return %stream, %b, %c3, %d, %e : !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>, !xf.real<n, 64>
}
