// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s | %transfold-opt | FileCheck %s
// RUN: %transfold-opt %s -emit-bytecode | %transfold-opt | FileCheck %s
// Parsing the printed form of every operation and attribute gives the same.

// A family of six layers, with the attributes of its place in the program's file.
// CHECK: xf.stored @layers.attn.W_Q[l = 6] : !xf.real<12, 384, 32> from "layer.{l}.query" as <([12:12288], [384:1], [32:384])>
xf.stored @layers.attn.W_Q[l = 6] : !xf.real<12, 384, 32> from "layer.{l}.query" as <([12:12288], [384:1], [32:384])>
// Two indices, an offset, a merged axis, an added constant, and a place in the file.
// CHECK: xf.stored @experts[l = 2, e = 3] : !xf.real<4, 6> from "{l}.{e}" plus <"1/sqrt(32)"> as <([4:6], [2:3, 3:1]) + 24> at <storage = <f32, <32>>, offset = 64, stride = 128>
xf.stored @experts[l = 2, e = 3] : !xf.real<4, 6> from "{l}.{e}" plus <"1/sqrt(32)"> as <([4:6], [2:3, 3:1]) + 24> at <storage = <f32, <32>>, offset = 64, stride = 128>
// A scalar, and a layout without axes.
// CHECK: xf.stored @temperature : !xf.real<> from "t" as <()>
xf.stored @temperature : !xf.real<> from "t" as <()>
// CHECK: xf.stored @row : !xf.real<1> from "t" as <([])>
xf.stored @row : !xf.real<1> from "t" as <([])>
// CHECK: xf.stored @table : !xf.real<100, 384> from "E" as <([100:384], [384:1])>
xf.stored @table : !xf.real<100, 384> from "E" as <([100:384], [384:1])>

// CHECK-LABEL: xf.entry @structure(
// CHECK-SAME: %[[TOKENS:.*]]: !xf.integer<n> {xf.name = "tokens"}, %[[X:.*]]: !xf.real<n, 384>
// CHECK-SAME: -> (!xf.real<n, 384> {xf.external = "hidden"}, !xf.real<n, 384>)
// CHECK-SAME: attributes {limits = {n = 512 : i64}, slots = [array<i64: 4, 1536>]}
xf.entry @structure(%tokens: !xf.integer<n> {xf.name = "tokens"}, %x: !xf.real<n, 384>)
    -> (!xf.real<n, 384> {xf.external = "hidden"}, !xf.real<n, 384>)
    attributes {limits = {n = 512}, slots = [array<i64: 4, 1536>]} {
  // CHECK: %[[E:.*]] = xf.weight @table : <100, 384>
  %E = xf.weight @table : <100, 384>
  // CHECK: %[[D:.*]] = xf.transfer %[[X]] to "cpu" {buffer = #xf.buffer<"cpu", arena, 3>} : !xf.real<n, 384>
  %d = xf.transfer %x to "cpu" {buffer = #xf.buffer<"cpu", arena, 3>} : !xf.real<n, 384>
  // CHECK: xf.transfer %[[TOKENS]] to "cuda" : !xf.integer<n>
  %i = xf.transfer %tokens to "cuda" : !xf.integer<n>
  // CHECK: %[[Y:.*]]:2 = xf.layers %[[L:.*]] < 6 (%[[A:.*]] = %[[D]], %[[B:.*]] = %[[X]]) : !xf.real<n, 384>, !xf.real<n, 384> {
  %y:2 = xf.layers %l < 6 (%a = %d, %b = %x) : !xf.real<n, 384>, !xf.real<n, 384> {
    // CHECK: xf.weight @layers.attn.W_Q[%[[L]]] : <12, 384, 32>
    %W = xf.weight @layers.attn.W_Q[%l] : <12, 384, 32>
    // CHECK: %[[R:.*]] = xf.launch @twice(%[[A]]) {buffer = #xf.buffer<"cpu", result, 0>} : (!xf.real<n, 384>) -> !xf.real<n, 384>
    %r = xf.launch @twice(%a) {buffer = #xf.buffer<"cpu", result, 0>} : (!xf.real<n, 384>) -> !xf.real<n, 384>
    // CHECK: xf.yield %[[R]], %[[B]] : !xf.real<n, 384>, !xf.real<n, 384>
    xf.yield %r, %b : !xf.real<n, 384>, !xf.real<n, 384>
  // CHECK: } {note = "two"}
  } {note = "two"}
  // A loop that was cut, and the attributes that folding adds to it.
  // CHECK: xf.layers 2 <= %{{.*}} < 6 (%{{.*}} = %[[X]]) : !xf.real<n, 384> {
  %z = xf.layers 2 <= %l < 6 (%a = %x) : !xf.real<n, 384> {
    xf.yield %a : !xf.real<n, 384>
  // CHECK: } {gauges = {{\[}}[#xf.exact<"6*sqrt(2)">, #xf.exact<"1">, #xf.exact<"1">, #xf.exact<"1">]]}
  } {gauges = [[#xf.exact<"sqrt(72)">, #xf.exact<"1">, #xf.exact<"1">, #xf.exact<"1">]]}
  // A loop that carries nothing, inside a loop over two indices.
  // CHECK: xf.layers %[[L:.*]] < 2 () {
  xf.layers %l < 2 () {
    // CHECK: xf.layers %[[K:.*]] < 3 () {
    xf.layers %e < 3 () {
      // CHECK: xf.weight @experts[%[[L]], %[[K]]] : <4, 6>
      %W = xf.weight @experts[%l, %e] : <4, 6>
      // CHECK: xf.yield
      xf.yield
    }
    xf.yield
  }
  // CHECK: xf.return %[[Y]]#0, %[[Y]]#1 : !xf.real<n, 384>, !xf.real<n, 384>
  xf.return %y#0, %y#1 : !xf.real<n, 384>, !xf.real<n, 384>
}

// A kernel has its own name for a length; a length that does not follow from
// the spec's arguments is an attribute.
// CHECK-LABEL: xf.kernel @twice(%{{.*}}: !xf.real<m, 384>) -> !xf.real<m, 384>
// CHECK-SAME: attributes {anchor = #xf.anchor<rows>, schedule = {lanes = 16 : i64}, target = "x86-64-v4"}
xf.kernel @twice(%x: !xf.real<m, 384>) -> !xf.real<m, 384>
    attributes {anchor = #xf.anchor<rows>, schedule = {lanes = 16}, target = "x86-64-v4"} {
  %y = xf.add %x[n, c], %x[n, c] -> [n, c] : <m, 384>, <m, 384>
  // CHECK: xf.return %{{.*}} : !xf.real<m, 384>
  xf.return %y : !xf.real<m, 384>
}

// CHECK-LABEL: xf.kernel @packed(%{{.*}}: !xf.real<384> {xf.storage = #xf.storage<f16>}, %{{.*}}: !xf.real<384, 8> {xf.storage = #xf.storage<bf16, <16, 2>>})
xf.kernel @packed(%b: !xf.real<384> {xf.storage = #xf.storage<f16>}, %W: !xf.real<384, 8> {xf.storage = #xf.storage<bf16, <16, 2>>})
    -> !xf.real<384> attributes {anchor = #xf.anchor<rows>} {
  xf.return %b : !xf.real<384>
}

// CHECK: xf.stored @blocks : !xf.real<512, 8> from "w" in q4_k as <([512:1], [8:512])> at <storage = <q4_k, <32>>, offset = 0, stride = 9216>
xf.stored @blocks : !xf.real<512, 8> from "w" in q4_k as <([512:1], [8:512])> at <storage = <q4_k, <32>>, offset = 0, stride = 9216>
// CHECK-LABEL: xf.kernel @in_blocks(%{{.*}}: !xf.real<512, 8> {xf.storage = #xf.storage<q4_k, <32>>}, %{{.*}}: !xf.real<32, 8> {xf.storage = #xf.storage<mxfp4, <32>>})
xf.kernel @in_blocks(%W: !xf.real<512, 8> {xf.storage = #xf.storage<q4_k, <32>>}, %V: !xf.real<32, 8> {xf.storage = #xf.storage<mxfp4, <32>>})
    -> !xf.real<32, 8> attributes {anchor = #xf.anchor<rows>} {
  xf.return %V : !xf.real<32, 8>
}

// CHECK-LABEL: xf.entry @nothing()
xf.entry @nothing() {
  // CHECK: xf.return
  xf.return
}

// CHECK-LABEL: xf.entry @arithmetic
xf.entry @arithmetic(%x: !xf.real<n, 384>, %W: !xf.real<12, 384, 32>, %b: !xf.real<384>) -> !xf.real<> {
  // CHECK: %[[Q:.*]] = xf.contract %{{.*}}[n, k], %{{.*}}[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  %Q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  // A label with any text, and no label.
  // CHECK: %[[T:.*]] = xf.contract %{{.*}}["d model"], %{{.*}}["d model"] -> [] : <384>, <384>
  %t = xf.contract %b["d model"], %b["d model"] -> [] : <384>, <384>
  // CHECK: xf.add %{{.*}}[n, c], %{{.*}}[c] -> [n, c] : <n, 384>, <384>
  %0 = xf.add %x[n, c], %b[c] -> [n, c] : <n, 384>, <384>
  // CHECK: xf.subtract %{{.*}}[n, c], %{{.*}}[] -> [n, c] : <n, 384>, <>
  %1 = xf.subtract %0[n, c], %t[] -> [n, c] : <n, 384>, <>
  // Both operands are broadcast along the axes that they lack.
  // CHECK: xf.multiply %{{.*}}[a], %{{.*}}[b] -> [a, b] : <384>, <384>
  %2 = xf.multiply %b[a], %b[b] -> [a, b] : <384>, <384>
  // CHECK: xf.divide %{{.*}}[], %{{.*}}[n, c] -> [n, c] : <>, <n, 384>
  %3 = xf.divide %t[], %1[n, c] -> [n, c] : <>, <n, 384>
  // CHECK: xf.relu %{{.*}} : <n, 384>
  %4 = xf.relu %3 : <n, 384>
  // CHECK: xf.gelu %{{.*}} : <n, 384>
  %5 = xf.gelu %4 : <n, 384>
  // CHECK: xf.sigmoid %{{.*}} : <n, 384>
  %6 = xf.sigmoid %5 : <n, 384>
  // CHECK: xf.tanh %{{.*}} : <n, 384>
  %7 = xf.tanh %6 : <n, 384>
  // CHECK: xf.exp %{{.*}} : <n, 384>
  %8 = xf.exp %7 : <n, 384>
  // CHECK: xf.negate %{{.*}} : <n, 384>
  %9 = xf.negate %8 : <n, 384>
  // CHECK: xf.softmax %{{.*}} : <n, 384>
  %10 = xf.softmax %9 : <n, 384>
  // CHECK: xf.unit %{{.*}} : <n, 384>
  %11 = xf.unit %10 : <n, 384>
  // CHECK: xf.standardize %{{.*}} epsilon <"1/1000000000000"> : <n, 384>
  %12 = xf.standardize %11 epsilon <"1e-12"> : <n, 384>
  // CHECK: xf.unit_rms %{{.*}} epsilon <"0"> : <n, 384>
  %13 = xf.unit_rms %12 epsilon <"0"> : <n, 384>
  // The text of the spec keeps its letters, quotes and backslashes.
  // CHECK: xf.scale %{{.*}} by <"1/sqrt(32)"> "1 / √d_k, \"γ\" \\" : <n, 384>
  %14 = xf.scale %13 by <"1/sqrt(32)"> "1 / √d_k, \"γ\" \\" : <n, 384>
  // Equal numbers have one text: 0.22 = 11/50, √(1/32) = 1/√32, 2·2·2 = 8.
  // CHECK: xf.scale %{{.*}} by <"11/50"> "" : <n, 384>
  %15 = xf.scale %14 by <"0.22"> "" : <n, 384>
  // CHECK: xf.scale %{{.*}} by <"1/sqrt(32)"> "a\0Ab" : <n, 384>
  %16 = xf.scale %15 by <"sqrt(1/32)"> "a\0Ab" : <n, 384>
  // CHECK: xf.scale %{{.*}} by <"-8"> "x" : <n, 384>
  %17 = xf.scale %16 by <"-2*2*2"> "x" : <n, 384>
  // CHECK: xf.power %{{.*}} to <"-1/2"> : <n, 384>
  %18 = xf.power %17 to <"-1/2"> : <n, 384>
  // CHECK: xf.round %{{.*}} to bf16 : <n, 384>
  %19 = xf.round %18 to bf16 : <n, 384>
  // CHECK: xf.quantize %{{.*}} by 32 : <n, 384>
  %quantized = xf.quantize %18 by 32 : <n, 384>
  // CHECK: xf.clamp %{{.*}} from <"-7"> to <"7"> : <n, 384>
  %clamped = xf.clamp %18 from <"-7"> to <"7"> : <n, 384>
  // CHECK: xf.clamp %{{.*}} to <"1/2"> : <n, 384>
  %below = xf.clamp %18 to <"1/2"> : <n, 384>
  // CHECK: xf.abs %{{.*}} : <n, 384>
  %size = xf.abs %18 : <n, 384>
  // CHECK: xf.constant <"3*sqrt(2)/7"> : <>
  %20 = xf.constant <"3*sqrt(2)/7"> : <>
  // CHECK: xf.integers -1 : <n>
  %21 = xf.integers -1 : <n>
  // CHECK: %[[SUM:.*]] = xf.sum %{{.*}} over 0 : <n, 384>
  %22 = xf.sum %19 over 0 : <n, 384>
  // CHECK: xf.mean %{{.*}} over 2 : <12, n, 32>
  %23 = xf.mean %Q over 2 : <12, n, 32>
  // CHECK: %[[MAX:.*]] = xf.max %[[SUM]] over 0 : <384>
  %24 = xf.max %22 over 0 : <384>
  // CHECK: xf.return %[[MAX]] : !xf.real<>
  xf.return %24 : !xf.real<>
}

// CHECK-LABEL: xf.entry @selection
xf.entry @selection(%E: !xf.real<100, 384>, %rows: !xf.integer<n>, %x: !xf.real<n, 384>, %K: !xf.real<2, n, 32>) -> !xf.real<24, n, 32> {
  // CHECK: xf.gather %{{.*}}[%{{.*}}] : <100, 384>, <n>
  %0 = xf.gather %E[%rows] : <100, 384>, <n>
  // CHECK: xf.slice %{{.*}} axis 0 from 2 : <100, 384> -> <n, 384>
  %1 = xf.slice %E axis 0 from 2 : <100, 384> -> <n, 384>
  // CHECK: xf.slice %{{.*}} axis 1 from 300 : <n, 384> -> <n, 84>
  %2 = xf.slice %x axis 1 from 300 : <n, 384> -> <n, 84>
  // CHECK: xf.select %{{.*}} axis 0 at -1 : <n, 384>
  %3 = xf.select %x axis 0 at -1 : <n, 384>
  // CHECK: xf.rearrange %{{.*}}[n, (i c)] -> [i, n, c] : <n, 384> -> <12, n, 32>
  %4 = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 384> -> <12, n, 32>
  // An axis of one position has no label.
  // CHECK: xf.rearrange %{{.*}}[n, c] -> [n, (), c] : <n, 384> -> <n, 1, 384>
  %5 = xf.rearrange %x[n, c] -> [n, (), c] : <n, 384> -> <n, 1, 384>
  // CHECK: %[[K:.*]] = xf.repeat %{{.*}} axis 0 times 6 : <2, n, 32>
  %6 = xf.repeat %K axis 0 times 6 : <2, n, 32>
  // CHECK: xf.append %{{.*}}, %[[K]] axis 0 : <12, n, 32>, <12, n, 32> -> <24, n, 32>
  %7 = xf.append %4, %6 axis 0 : <12, n, 32>, <12, n, 32> -> <24, n, 32>
  xf.return %7 : !xf.real<24, n, 32>
}

// CHECK-LABEL: xf.entry @image
xf.entry @image(%x: !xf.real<3, 32, 16>) -> !xf.real<8, 192> {
  // CHECK: xf.patches %{{.*}} size 8 : <3, 32, 16>
  %0 = xf.patches %x size 8 : <3, 32, 16>
  xf.return %0 : !xf.real<8, 192>
}

// Types and attributes on their own.
// CHECK: module attributes {
// CHECK-SAME: xf.a = #xf.exact<"2^(1/3)">
// CHECK-SAME: xf.b = #xf.layout<([384:1], [12:32, 32:1]) + 7>
// CHECK-SAME: xf.c = #xf.panels<32, 2>
// CHECK-SAME: xf.d = #xf.buffer<"host", argument, 0>
// CHECK-SAME: xf.e = !xf.real<>
// CHECK-SAME: xf.f = !xf.integer<n, 1, "n div 2">
module attributes {
  xf.a = #xf.exact<"2^(1/3)">, xf.b = #xf.layout<([384:1], [12:32, 32:1]) + 7>,
  xf.c = #xf.panels<32, 2>, xf.d = #xf.buffer<"host", argument, 0>, xf.e = !xf.real<>,
  xf.f = !xf.integer<n, 1, "n div 2">} {}

// Additions of folding: factors of stored tensors, values without a tensor,
// numbers of kernels, the ledger.
// CHECK: xf.stored @narrow : !xf.real<6> from "n" in bf16 plus <"1"> as <([6:1])> times [<"1/(6*sqrt(2))">]
xf.stored @narrow : !xf.real<6> from "n" in bf16 plus <"1"> as <([6:1])> times [<"1/(6*sqrt(2))">]
// CHECK: xf.stored @fold.1[l = 2] : !xf.real<> as <()> times [<"log2(e)/8">, <"-2">]
xf.stored @fold.1[l = 2] : !xf.real<> as <()> times [<"log2(e)/8">, <"-2">]
// CHECK: xf.folded "√d" <"8"> to [{exponent = "-1", place = "PE"}] readers 31
xf.folded "√d" <"8"> to [{exponent = "-1", place = "PE"}] readers 31
// CHECK: xf.folded "μ" <"12"> to [] readers 0 kept "a result keeps its value"
xf.folded "μ" <"12"> to [] readers 0 kept "a result keeps its value"
// CHECK-LABEL: xf.entry @scalars
xf.entry @scalars(%x: !xf.real<n, 6>) -> !xf.real<n, 6> {
  // CHECK: %[[C:.*]] = xf.constant <"2"> : <>
  %c = xf.constant <"2"> : <>
  // CHECK: %[[A:.*]] = xf.softmax %{{.*}} exp2 %[[C]] times %[[C]] rounded bf16 : <n, 6>
  %a = xf.softmax %x exp2 %c times %c rounded bf16 : <n, 6>
  // CHECK: %[[B:.*]] = xf.gelu %[[A]] at %[[C]] : <n, 6>
  %b = xf.gelu %a at %c : <n, 6>
  // CHECK: %[[D:.*]] = xf.tanh %[[B]] times %[[C]] : <n, 6>
  %d = xf.tanh %b times %c : <n, 6>
  // CHECK: %[[E:.*]] = xf.sigmoid %[[D]] at %[[C]] : <n, 6>
  %e = xf.sigmoid %d at %c : <n, 6>
  // CHECK: xf.log2 %[[E]] at %[[C]] times %[[C]] : <n, 6>
  %log = xf.log2 %e at %c times %c : <n, 6>
  // CHECK: xf.log1p %[[E]] at %[[C]] : <n, 6>
  %near = xf.log1p %e at %c : <n, 6>
  // CHECK: xf.maximum %[[E]][n, c], %[[C]][] -> [n, c] : <n, 6>, <>
  %max = xf.maximum %e[n, c], %c[] -> [n, c] : <n, 6>, <>
  // CHECK: %[[F:.*]] = xf.unit_rms %[[E]] epsilon <"1/100000"> per_layer %[[C]] times %[[C]] : <n, 6>
  %f = xf.unit_rms %e epsilon <"1e-5"> per_layer %c times %c : <n, 6>
  // CHECK: xf.unit %[[F]] times %[[C]] : <n, 6>
  %g = xf.unit %f times %c : <n, 6>
  xf.return %g : !xf.real<n, 6>
}

// A weight computed from others, one whose members are those of others, and a
// line of the ledger.
// CHECK: xf.stored @derived[l = 2] : !xf.real<4> as <([4:1])> times [<"1/2">] derived {
// CHECK-NEXT: ^bb0(%[[L:.*]]: index):
// CHECK-NEXT: xf.weight @carried[%[[L]]] : <4>
// CHECK-NEXT: xf.negate
// CHECK-NEXT: xf.yield
xf.stored @derived[l = 2] : !xf.real<4> as <([4:1])> times [<"1/2">] derived {
^bb0(%l: index):
  %c = xf.weight @carried[%l] : <4>
  %n = xf.negate %c : <4>
  xf.yield %n : !xf.real<4>
}
// CHECK: xf.stored @carried[l = 2] : !xf.real<4> of <[@first, @rest]> as <([4:1])>
xf.stored @carried[l = 2] : !xf.real<4> of <[@first, @rest]> as <([4:1])>
// CHECK: xf.stored @last : !xf.real<4> of <[@rest], 1> as <([4:1])>
xf.stored @last : !xf.real<4> of <[@rest], 1> as <([4:1])>
xf.stored @first : !xf.real<4> from "first" as <([4:1])>
xf.stored @rest[l = 2] : !xf.real<4> from "rest{l}" as <([4:1])>
// CHECK: xf.moved "bias" "norm.β" to ["b_1", "b_2"] readers 4
xf.moved "bias" "norm.β" to ["b_1", "b_2"] readers 4
// CHECK: xf.moved "bias" "norm.β" in ["encode", "fill"] to ["b_1"] readers 2
xf.moved "bias" "norm.β" in ["encode", "fill"] to ["b_1"] readers 2
// CHECK: xf.moved "gain" "norm.γ" to [] readers 1 kept "'add' does not permit it"
xf.moved "gain" "norm.γ" to [] readers 1 kept "'add' does not permit it"
