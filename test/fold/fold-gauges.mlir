// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-fold-gauges | FileCheck %s
// Constants move to places where they cost nothing, and stay if they would cost more elsewhere.

// 1/√d_k is combined with log2(e) into one factor, as the line of the ledger shows.
// CHECK-LABEL: xf.entry @scores
// CHECK: %[[C:.*]] = xf.constant <"log2(e)/sqrt(32)"> : <>
// CHECK: xf.softmax %arg0 exp2 %[[C]] : <n, m>
// CHECK: xf.folded "log2(e)" <"log2(e)"> to [{count = 1 : i64, exponent = "1", factor = "log2(e)/sqrt(32)", layers = "", place = "softmax scale", rounding = "1/2 ulp"}] readers 0
// CHECK: xf.folded "1 / √d_k" <"1/sqrt(32)"> to [{{.*}}exponent = "1"{{.*}}place = "softmax scale"{{.*}}] readers 1
xf.entry @scores(%S: !xf.real<n, m>) -> !xf.real<n, m> {
  %s = xf.scale %S by <"1/sqrt(32)"> "1 / √d_k" : <n, m>
  %p = xf.softmax %s : <n, m>
  xf.return %p : !xf.real<n, m>
}

// -----

// A sink has the gauge of the scores: it is stored with the same factor as the
// scores have, and both are scaled together.
// CHECK: xf.stored @s : !xf.real<2> from "s" as <([2:1])> times [<"sqrt(32)">]
// CHECK-LABEL: xf.entry @sink
// CHECK: %[[C:.*]] = xf.constant <"log2(e)/sqrt(32)"> : <>
// CHECK: xf.softmax %arg0 sink %{{.*}} : <2> exp2 %[[C]] : <2, n, m>
xf.stored @s : !xf.real<2> from "s" as <([2:1])>
xf.entry @sink(%S: !xf.real<2, n, m>) -> !xf.real<2, n, m> {
  %s = xf.scale %S by <"1/sqrt(32)"> "1 / √d_k" : <2, n, m>
  %t = xf.weight @s : <2>
  %p = xf.softmax %s sink %t : <2> : <2, n, m>
  xf.return %p : !xf.real<2, n, m>
}

// -----

// The paper's √d: the table is shared with the head and does not change. Layer 0 reads x/√d, and
// its norm is invariant to that factor: its biases, its scale and its ε are adapted.
// CHECK: xf.stored @[[SCALE:.*]][l = 2] : !xf.real<> as <()> times [<"9*log2(e)">, <"log2(e)/8">]
// CHECK: xf.stored @E : !xf.real<7, 72> from "E" as <([7:72], [72:1])>{{$}}
// CHECK: xf.stored @PE : !xf.real<9, 72> from "PE" as <([9:72], [72:1])> times [<"1/(6*sqrt(2))">]
// CHECK: xf.stored @W[l = 2] : !xf.real<72, 72> from "W{l}" as <([72:1], [72:72])>{{$}}
// CHECK: xf.stored @b[l = 2] : !xf.real<72> from "b{l}" as <([72:1])> times [<"1/(6*sqrt(2))">, <"1">]
// CHECK-LABEL: xf.entry @vaswani
// CHECK-NOT: xf.scale
// CHECK: xf.layers
// CHECK: xf.weight @[[SCALE]][%{{.*}}] : <>
// CHECK-NOT: xf.scale
// CHECK: xf.standardize %{{.*}} epsilon <"1/100000"> per_layer %{{.*}} : <n, 72>
// CHECK-NOT: xf.scale
// CHECK: xf.folded "√d" <"6*sqrt(2)">
xf.stored @E : !xf.real<7, 72> from "E" as <([7:72], [72:1])>
xf.stored @PE : !xf.real<9, 72> from "PE" as <([9:72], [72:1])>
xf.stored @W[l = 2] : !xf.real<72, 72> from "W{l}" as <([72:1], [72:72])>
xf.stored @b[l = 2] : !xf.real<72> from "b{l}" as <([72:1])>
xf.entry @vaswani(%tokens: !xf.integer<n>) -> !xf.real<n, 7> {
  %E = xf.weight @E : <7, 72>
  %P = xf.weight @PE : <9, 72>
  %e = xf.gather %E[%tokens] : <7, 72>, <n>
  %s = xf.scale %e by <"sqrt(72)"> "√d" : <n, 72>
  %p = xf.slice %P axis 0 from 0 : <9, 72> -> <n, 72>
  %x0 = xf.add %s[n, c], %p[n, c] -> [n, c] : <n, 72>, <n, 72>
  %y = xf.layers %l < 2 (%x = %x0) : !xf.real<n, 72> {
    %W = xf.weight @W[%l] : <72, 72>
    %b = xf.weight @b[%l] : <72>
    %S = xf.contract %x[n, c], %x[m, c] -> [n, m] : <n, 72>, <n, 72>
    %T = xf.scale %S by <"1/8"> "1 / √d_k" : <n, n>
    %A = xf.softmax %T : <n, n>
    %h = xf.contract %A[n, m], %x[m, c] -> [n, c] : <n, n>, <n, 72>
    %o = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 72>, <72, 72>
    %u = xf.add %o[n, c], %b[c] -> [n, c] : <n, 72>, <72>
    %v = xf.add %x[n, c], %u[n, c] -> [n, c] : <n, 72>, <n, 72>
    %z = xf.standardize %v epsilon <"1/100000"> : <n, 72>
    xf.yield %z : !xf.real<n, 72>
  }
  %logits = xf.contract %y[n, k], %E[c, k] -> [n, c] : <n, 72>, <7, 72>
  xf.return %logits : !xf.real<n, 7>
}

// -----

// A negative scale does not move into a softmax, which subtracts the largest
// entry, but past it, where a factor may have any sign.
// CHECK-LABEL: xf.entry @negative
// CHECK: xf.scale %arg0 by <"-1"> "c"
// CHECK: xf.constant <"3*log2(e)">
xf.entry @negative(%S: !xf.real<n, m>) -> !xf.real<n, m> {
  %s = xf.scale %S by <"-3"> "c" : <n, m>
  %p = xf.softmax %s : <n, m>
  xf.return %p : !xf.real<n, m>
}

// -----

// Results are observed: between two of them a constant stays, and the ledger
// gives the reason.
// CHECK-LABEL: xf.entry @observed
// CHECK: xf.scale %{{.*}} by <"12"> "μ"
// CHECK: xf.folded "μ" <"12"> to [{{.*}}rounding = "at run time"{{.*}}] readers {{.*}} kept "a result of entry 'observed' must keep its value
xf.entry @observed(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %a = xf.relu %x : <n, 8>
  %b = xf.scale %a by <"12"> "μ" : <n, 8>
  xf.return %a, %b : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// 16-bit weights get no factor √72, but a power of two, even if a
// multiplication then remains.
// CHECK: xf.stored @W : !xf.real<8, 8> from "W" in bf16 as <([8:8], [8:1])>{{$}}
// CHECK: xf.stored @V : !xf.real<8, 8> from "V" in bf16 as <([8:8], [8:1])> times [<"8">]
// CHECK-LABEL: xf.entry @narrow
// CHECK: xf.scale %{{.*}} by <"6*sqrt(2)"> "√d"
// CHECK-LABEL: xf.entry @power
// CHECK-NOT: xf.scale
xf.stored @W : !xf.real<8, 8> from "W" in bf16 as <([8:8], [8:1])>
xf.stored @V : !xf.real<8, 8> from "V" in bf16 as <([8:8], [8:1])>
xf.entry @narrow(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <8, 8>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.scale %y by <"sqrt(72)"> "√d" : <n, 8>
  xf.return %z : !xf.real<n, 8>
}
xf.entry @power(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %V = xf.weight @V : <8, 8>
  %y = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.scale %y by <"8"> "μ" : <n, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// A tensor that two entries read is stored once: a scale after one of the reads
// cannot change it for the other.
// CHECK: xf.stored @W : {{.*}} as <([8:8], [8:1])>{{$}}
// CHECK-LABEL: xf.entry @first
// CHECK: xf.scale
xf.stored @W : !xf.real<8, 8> from "W" as <([8:8], [8:1])>
xf.entry @first(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <8, 8>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.scale %y by <"3"> "μ" : <n, 8>
  xf.return %z : !xf.real<n, 8>
}
xf.entry @second(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %W = xf.weight @W : <8, 8>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %y : !xf.real<n, 8>
}

// -----

// A soft-cap: 1/cap is in tanh's argument, and its output continues into the
// softmax. log2(e) does not move past tanh.
// CHECK-LABEL: xf.entry @cap
// CHECK: %[[A:.*]] = xf.constant <"1/50"> : <>
// CHECK: %[[T:.*]] = xf.tanh %arg0 at %[[A]] : <n, m>
// CHECK: %[[S:.*]] = xf.constant <"50*log2(e)"> : <>
// CHECK: xf.softmax %[[T]] exp2 %[[S]] : <n, m>
xf.entry @cap(%S: !xf.real<n, m>) -> !xf.real<n, m> {
  %a = xf.scale %S by <"1/50"> "1 / c" : <n, m>
  %t = xf.tanh %a : <n, m>
  %b = xf.scale %t by <"50"> "c" : <n, m>
  %p = xf.softmax %b : <n, m>
  xf.return %p : !xf.real<n, m>
}

// -----

// A table of positions is defined, not stored: its definition gets the factor.
// A bias that is read from a stored table has the gauge of the table.
// CHECK: xf.stored @bias : !xf.real<9, 2> from "bias" as <([9:2], [2:1])> times [<"1/3">]
// CHECK-LABEL: xf.entry @tables
// CHECK: xf.tabulate "[t, c] = sin(t + c) * 0.125"
// CHECK-NOT: xf.scale
xf.stored @E : !xf.real<7, 4> from "E" as <([7:4], [4:1])>
xf.stored @bias : !xf.real<9, 2> from "bias" as <([9:2], [2:1])>
xf.entry @tables(%tokens: !xf.integer<n>, %S: !xf.real<2, n, n>) -> (!xf.real<n, 4>, !xf.real<2, n, n>) {
  %E = xf.weight @E : <7, 4>
  %e = xf.gather %E[%tokens] : <7, 4>, <n>
  %s = xf.scale %e by <"8"> "√d" : <n, 4>
  %P = xf.tabulate "[t, c] = sin(t + c)"() : () -> !xf.real<n, 4>
  %x = xf.add %s[n, c], %P[n, c] -> [n, c] : <n, 4>, <n, 4>
  %y = xf.unit_rms %x epsilon <"1e-6"> : <n, 4>
  %b = xf.weight @bias : <9, 2>
  %B = xf.tabulate "[a, i, j] = %0[clamp(j - i + 4, 0, 8), a]"(%b) : (!xf.real<9, 2>) -> !xf.real<2, n, n>
  %c = xf.scale %S by <"3"> "μ" : <2, n, n>
  %T = xf.add %c[i, n, m], %B[i, n, m] -> [i, n, m] : <2, n, n>, <2, n, n>
  %A = xf.softmax %T where [j <= i] : <2, n, n>
  xf.return %y, %A : !xf.real<n, 4>, !xf.real<2, n, n>
}

// -----

// Groups of a row have separate scales, and no factor moves past them.
// CHECK-LABEL: xf.entry @quantized
// CHECK: xf.scale %arg0 by <"3"> "μ"
xf.entry @quantized(%S: !xf.real<n, 32>) -> !xf.real<n, 32> {
  %s = xf.scale %S by <"3"> "μ" : <n, 32>
  %r = xf.quantize %s by 32 : <n, 32>
  %p = xf.softmax %r : <n, 32>
  xf.return %p : !xf.real<n, 32>
}

// -----

// An operation without a law keeps its operands and results: no factor moves past it.
// CHECK-LABEL: xf.entry @rounded
// CHECK: xf.scale %arg0 by <"3"> "μ"
xf.entry @rounded(%S: !xf.real<n, m>) -> !xf.real<n, m> {
  %s = xf.scale %S by <"3"> "μ" : <n, m>
  %r = xf.round %s to bf16 : <n, m>
  %p = xf.softmax %r : <n, m>
  xf.return %p : !xf.real<n, m>
}

// -----

// Chosen rows have the gauge of all rows; which rows are chosen does not depend
// on gauges.
// CHECK-LABEL: xf.entry @chosen
// CHECK-NOT: xf.scale
// CHECK: xf.unit_rms %{{.*}} epsilon <"1/900">
xf.entry @chosen(%x: !xf.real<n, 4>, %g: !xf.real<n>) -> !xf.real<n, 4> {
  %s = xf.scale %x by <"3"> "μ" : <n, 4>
  %h = xf.scale %g by <"5"> "ν" : <n>
  %r = xf.running_count %h : <n>
  %p = xf.compress %s by %r : <n, 4>, <n> -> <chosen0, 4>
  %q = xf.expand %p by %r : <chosen0, 4>, <n>
  %y = xf.unit_rms %q epsilon <"1/100"> : <n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// 0 has no logarithm. It stays in its place, and does not constrain the gauges
// before and after it: other constants move past it as if it did not exist.
// CHECK-LABEL: xf.entry @zero
// CHECK: %[[V:.*]] = xf.weight @V
// CHECK: %[[U:.*]] = xf.contract %arg0[n, k], %[[V]][k, c]
// CHECK: %[[Z:.*]] = xf.scale %[[U]] by <"0"> "s" : <n, 4>
// CHECK-NOT: xf.scale
// CHECK: xf.add %{{.*}}, %[[Z]][n, c]
// CHECK: xf.folded "μ" <"3"> to [{{.*}}place = "W"
// CHECK: xf.folded "s" <"0"> to [] readers 0 kept "no other factor compensates for a factor 0"
xf.stored @W : !xf.real<4, 4> from "W" as <([4:4], [4:1])>
xf.stored @V : !xf.real<4, 4> from "V" as <([4:4], [4:1])>
xf.entry @zero(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %W = xf.weight @W : <4, 4>
  %V = xf.weight @V : <4, 4>
  %w = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 4>
  %m = xf.scale %w by <"3"> "μ" : <n, 4>
  %v = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 4>, <4, 4>
  %z = xf.scale %v by <"0"> "s" : <n, 4>
  %y = xf.add %m[n, c], %z[n, c] -> [n, c] : <n, 4>, <n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// An ε of 0 takes no factor either: 0 is any multiple of itself.
// CHECK-LABEL: xf.entry @no_epsilon
// CHECK-NOT: xf.scale
// CHECK: xf.standardize %arg0 epsilon <"0">
// CHECK: xf.folded "μ" <"3"> to [] readers 1
xf.entry @no_epsilon(%x: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %m = xf.scale %x by <"3"> "μ" : <n, 4>
  %y = xf.standardize %m epsilon <"0"> : <n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// A factor that would exceed the range of float32 in a weight stays in its
// place; a factor that meets its inverse vanishes.
// CHECK-LABEL: xf.entry @far
// CHECK: xf.scale %{{.*}} by <"1/(2^30*5^30)"> "tiny" : <n, 4>
// CHECK-NOT: xf.scale
// CHECK: xf.folded "huge" <"2^30*5^30"> to [] readers 1
// CHECK: xf.folded "tiny" {{.*}} kept "it would exceed the range of float32 elsewhere"
xf.stored @W : !xf.real<4, 4> from "W" as <([4:4], [4:1])>
xf.stored @b : !xf.real<4> from "b" as <([4:1])>
xf.entry @far(%x: !xf.real<n, 4>) -> (!xf.real<n, 4>, !xf.real<n, 4>) {
  %W = xf.weight @W : <4, 4>
  %b = xf.weight @b : <4>
  %s = xf.scale %x by <"1e-30"> "tiny" : <n, 4>
  %w = xf.contract %s[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 4>
  %y = xf.add %w[n, c], %b[c] -> [n, c] : <n, 4>, <4>
  %h = xf.scale %x by <"1e30"> "huge" : <n, 4>
  %u = xf.unit %h : <n, 4>
  xf.return %y, %u : !xf.real<n, 4>, !xf.real<n, 4>
}
