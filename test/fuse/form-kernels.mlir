// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s
// Which operations an anchor takes into its kernel, and which it does not.

// The epilogue of a product is computed with it; the operands keep their order.
// CHECK-LABEL: xf.entry @epilogue
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 8>, %[[W:.*]]: !xf.real<8, 8>, %[[B:.*]]: !xf.real<8>)
// CHECK-NEXT: %[[Y:.*]] = xf.launch @contract_subtract_gelu_add(%[[X]], %[[W]], %[[B]])
// CHECK-NEXT: xf.return %[[Y]]
// CHECK: xf.kernel @contract_subtract_gelu_add(%[[X:.*]]: !xf.real<n, 8>, %[[W:.*]]: !xf.real<8, 8>, %[[B:.*]]: !xf.real<8>) -> !xf.real<n, 8>
// CHECK-SAME: anchor = #xf.anchor<contraction>
// CHECK-NEXT: %[[Y:.*]] = xf.contract %[[X]][n, k], %[[W]][k, c] -> [n, c]
// CHECK-NEXT: %[[Z:.*]] = xf.subtract %[[B]][c], %[[Y]][n, c] -> [n, c]
// CHECK-NEXT: %[[G:.*]] = xf.gelu %[[Z]]
// CHECK-NEXT: %[[R:.*]] = xf.add %[[X]][n, c], %[[G]][n, c] -> [n, c]
// CHECK-NEXT: xf.return %[[R]]
xf.entry @epilogue(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>, %b: !xf.real<8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.subtract %b[c], %y[n, c] -> [n, c] : <8>, <n, 8>
  %g = xf.gelu %z : <n, 8>
  %r = xf.add %x[n, c], %g[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %r : !xf.real<n, 8>
}

// -----

// Equal kernels are merged: layers, and entries, share them. Different operands
// in the same places are the same kernel; another order is a different one.
// CHECK-LABEL: xf.entry @equal
// CHECK: xf.launch @contract(%{{.*}}, %[[V:.*]])
// CHECK: xf.launch @contract(
// CHECK: xf.launch @contract_2(
// CHECK-LABEL: xf.entry @equal_too
// CHECK: xf.launch @contract(
// CHECK-NOT: @contract_3
// CHECK: xf.kernel @contract(
// CHECK-NOT: xf.kernel @contract(
// CHECK: xf.kernel @contract_2(
// CHECK-NOT: xf.kernel
xf.entry @equal(%x: !xf.real<n, 8>, %V: !xf.real<8, 8>, %W: !xf.real<8, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>) {
  %a = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8>
  %b = xf.contract %a[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %c = xf.contract %a[n, k], %W[c, k] -> [n, c] : <n, 8>, <8, 8>
  xf.return %a, %b, %c : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
}
xf.entry @equal_too(%x: !xf.real<n, 8>, %V: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %a = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %a : !xf.real<n, 8>
}

// -----

// The product is read twice: the following operations are separate kernels.
// CHECK-LABEL: xf.entry @two_uses
// CHECK: %[[Y:.*]] = xf.launch @contract(
// CHECK: %[[G:.*]] = xf.launch @gelu(%[[Y]])
// CHECK: xf.return %[[Y]], %[[G]]
xf.entry @two_uses(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %g = xf.gelu %y : <n, 8>
  xf.return %y, %g : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// Both uses are by one operation: it is taken into the kernel.
// CHECK-LABEL: xf.entry @square
// CHECK: xf.launch @contract_multiply(%arg0, %arg1)
xf.entry @square(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.multiply %y[n, c], %y[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// silu(y) = y · sigmoid(y): two uses that join again.
// CHECK-LABEL: xf.entry @silu
// CHECK: %[[U:.*]] = xf.launch @contract(%arg0, %arg2)
// CHECK: xf.launch @contract_sigmoid_multiply_multiply(%arg0, %arg1, %[[U]])
xf.entry @silu(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>, %V: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %u = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.sigmoid %y : <n, 8>
  %z = xf.multiply %y[n, c], %s[n, c] -> [n, c] : <n, 8>, <n, 8>
  %g = xf.multiply %z[n, c], %u[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %g : !xf.real<n, 8>
}

// -----

// One path goes through a row norm, which needs the whole row.
// CHECK-LABEL: xf.entry @uses_apart
// CHECK: %[[Y:.*]] = xf.launch @contract(%arg0, %arg1)
// CHECK: %[[S:.*]] = xf.launch @sigmoid(%[[Y]])
// CHECK: xf.launch @unit_rms_multiply(%[[Y]], %[[S]])
xf.entry @uses_apart(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.sigmoid %y : <n, 8>
  %m = xf.unit_rms %y epsilon <"0"> : <n, 8>
  %z = xf.multiply %m[n, c], %s[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %z : !xf.real<n, 8>
}

// -----

// They join, but an intermediate value is also a result.
// CHECK-LABEL: xf.entry @stored_between
// CHECK: %[[Y:.*]] = xf.launch @contract(%arg0, %arg1)
// CHECK: %[[S:.*]] = xf.launch @sigmoid(%[[Y]])
// CHECK: %[[Z:.*]] = xf.launch @multiply(%[[Y]], %[[S]])
// CHECK: xf.return %[[Z]], %[[S]]
xf.entry @stored_between(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.sigmoid %y : <n, 8>
  %z = xf.multiply %y[n, c], %s[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %z, %s : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// The result of the sum has another shape than the product.
// CHECK-LABEL: xf.entry @other_shape
// CHECK: %[[Y:.*]] = xf.launch @contract(
// CHECK: xf.launch @add(%{{.*}}, %[[Y]])
xf.entry @other_shape(%x: !xf.real<n, 8>, %w: !xf.real<8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %w[k] -> [n] : <n, 8>, <8>
  %z = xf.add %x[n, c], %y[n] -> [n, c] : <n, 8>, <n>
  xf.return %z : !xf.real<n, 8>
}

// -----

// The next anchor is not part of the first one's kernel, nor is a use inside a loop.
// CHECK-LABEL: xf.entry @loop
// CHECK: %[[Y:.*]] = xf.launch @contract(
// CHECK: xf.layers {{.*}} {
// CHECK:   xf.launch @add(%{{.*}}, %[[Y]])
xf.entry @loop(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    %b = xf.add %a[n, c], %y[n, c] -> [n, c] : <n, 8>, <n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %z : !xf.real<n, 8>
}

// -----

// No n × m value is stored: both products, the softmax and everything between
// them are one kernel. The mask and the values are arguments.
// CHECK-LABEL: xf.entry @attention
// CHECK-NEXT: %[[B:.*]] = xf.launch
// CHECK-NEXT: %[[H:.*]] = xf.launch @contract_scale_add_softmax_contract_negate(%{{.*}}, %{{.*}}, %[[B]], %{{.*}})
// CHECK-NEXT: xf.return %[[H]]
// CHECK: anchor = #xf.anchor<attention>
xf.entry @attention(%q: !xf.real<2, n, 4>, %k: !xf.real<2, m, 4>, %v: !xf.real<2, m, 4>, %b: !xf.real<m>) -> !xf.real<2, n, 4> {
  %S = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 4>, <2, m, 4>
  %s = xf.scale %S by <"1/2"> "1 / √d" : <2, n, m>
  %e = xf.exp %b : <m>
  %t = xf.add %s[i, n, m], %e[m] -> [i, n, m] : <2, n, m>, <m>
  %w = xf.softmax %t : <2, n, m>
  %h = xf.contract %w[i, n, m], %v[i, m, c] -> [i, n, c] : <2, n, m>, <2, m, 4>
  %r = xf.negate %h : <2, n, 4>
  xf.return %r : !xf.real<2, n, 4>
}

// -----

// A chain of two attentions shares no operation: the product is already taken
// when the second softmax is reached.
// CHECK-LABEL: xf.entry @two_attentions
// CHECK: xf.launch @contract_softmax_contract_scale(
// CHECK: xf.launch @softmax(
// CHECK: xf.launch @contract(
xf.entry @two_attentions(%q: !xf.real<n, 4>, %k: !xf.real<8, 4>, %v: !xf.real<8, 8>, %w: !xf.real<8, 4>) -> !xf.real<n, 4> {
  %S = xf.contract %q[n, c], %k[m, c] -> [n, m] : <n, 4>, <8, 4>
  %p = xf.softmax %S : <n, 8>
  %h = xf.contract %p[n, m], %v[m, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.scale %h by <"2"> "2" : <n, 8>
  %t = xf.softmax %s : <n, 8>
  %r = xf.contract %t[n, m], %w[m, c] -> [n, c] : <n, 8>, <8, 4>
  xf.return %r : !xf.real<n, 4>
}

// -----

// A sum over another axis than the row of the softmax is not an attention.
// CHECK-LABEL: xf.entry @other_sum
// CHECK: xf.launch @contract(
// CHECK: xf.launch @softmax(
// CHECK: xf.launch @contract_2(
xf.entry @other_sum(%q: !xf.real<n, 4>, %k: !xf.real<8, 4>, %v: !xf.real<n, 4>) -> !xf.real<8, 4> {
  %S = xf.contract %q[n, c], %k[m, c] -> [n, m] : <n, 4>, <8, 4>
  %p = xf.softmax %S : <n, 8>
  %h = xf.contract %p[n, m], %v[n, c] -> [m, c] : <n, 8>, <n, 4>
  xf.return %h : !xf.real<8, 4>
}

// -----

// A norm takes operations that only feed it or only follow it. %e, which is
// read twice, is stored.
// CHECK-LABEL: xf.entry @rows
// CHECK: %[[E:.*]] = xf.launch @gather(
// CHECK: xf.launch @slice_add_standardize_multiply(%{{.*}}, %[[E]], %{{.*}})
// CHECK: xf.launch @relu(%[[E]])
// CHECK: anchor = #xf.anchor<rows>
xf.entry @rows(%E: !xf.real<100, 8>, %P: !xf.real<50, 8>, %t: !xf.integer<n>, %g: !xf.real<8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %e = xf.gather %E[%t] : <100, 8>, <n>
  %p = xf.slice %P axis 0 from 2 : <50, 8> -> <n, 8>
  %s = xf.add %e[n, c], %p[n, c] -> [n, c] : <n, 8>, <n, 8>
  %z = xf.standardize %s epsilon <"1e-5"> : <n, 8>
  %y = xf.multiply %z[n, c], %g[c] -> [n, c] : <n, 8>, <8>
  %r = xf.relu %e : <n, 8>
  xf.return %y, %r : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// A mean over the rows; its division follows it.
// CHECK-LABEL: xf.entry @reduction
// CHECK: xf.launch @mean_scale(
// CHECK: anchor = #xf.anchor<reduction>
xf.entry @reduction(%x: !xf.real<n, 8>) -> !xf.real<8> {
  %m = xf.mean %x over 0 : <n, 8>
  %s = xf.scale %m by <"2"> "2" : <8>
  xf.return %s : !xf.real<8>
}

// -----

// Splitting columns into heads moves no data: it stays outside. Permuting two
// heads is work.
// CHECK-LABEL: xf.entry @views
// CHECK: %[[H:.*]] = xf.rearrange %{{.*}}[n, (i c)] -> [i, n, c]
// CHECK: %[[T:.*]] = xf.launch @rearrange(%[[H]])
// CHECK: xf.return %[[H]], %[[T]]
// CHECK: xf.kernel @rearrange(
// CHECK: xf.rearrange %{{.*}}[i, n, c] -> [n, (c i)]
xf.entry @views(%x: !xf.real<n, 8>) -> (!xf.real<2, n, 4>, !xf.real<n, 8>) {
  %h = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 8> -> <2, n, 4>
  %t = xf.rearrange %h[i, n, c] -> [n, (c i)] : <2, n, 4> -> <n, 8>
  xf.return %h, %t : !xf.real<2, n, 4>, !xf.real<n, 8>
}

// -----

// A constant is part of each kernel that reads it, and of no other; so is a
// vector with the same token everywhere.
// CHECK-LABEL: xf.entry @constants
// CHECK-NOT: xf.constant
// CHECK-NOT: xf.integers
// CHECK: xf.return
// CHECK: xf.kernel @contract_add(%{{.*}}: !xf.real<n, 8>, %{{.*}}: !xf.real<8, 8>) ->
// CHECK-NEXT: %[[C:.*]] = xf.constant <"3">
// CHECK: xf.add %{{.*}}[n, c], %[[C]][]
// CHECK: xf.kernel @gather_multiply(
// CHECK-NEXT: xf.integers 0 : <n>
// CHECK-NEXT: xf.constant <"3">
xf.entry @constants(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>, %T: !xf.real<2, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>) {
  %c = xf.constant <"3"> : <>
  %i = xf.integers 0 : <n>
  %g = xf.gather %T[%i] : <2, 8>, <n>
  %m = xf.multiply %c[], %g[n, c] -> [n, c] : <>, <n, 8>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %z = xf.add %y[n, c], %c[] -> [n, c] : <n, 8>, <>
  %d = xf.divide %m[n, c], %z[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %m, %z, %d : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// If the number of rows is constant, heads are not stored like columns: the
// attention itself splits and joins them, and nothing is copied.
// CHECK-LABEL: xf.entry @attention_of_columns
// CHECK-SAME: (%[[Q:.*]]: !xf.real<5, 8>, %[[K:.*]]: !xf.real<5, 8>, %[[V:.*]]: !xf.real<5, 8>)
// CHECK-NEXT: %[[Y:.*]] = xf.launch @rearrange_rearrange_rearrange_contract_softmax_contract_rearrange(%[[Q]], %[[K]], %[[V]])
// CHECK-NEXT: xf.return %[[Y]]
xf.entry @attention_of_columns(%x: !xf.real<5, 8>, %y: !xf.real<5, 8>, %z: !xf.real<5, 8>) -> !xf.real<5, 8> {
  %q = xf.rearrange %x[n, (i c)] -> [i, n, c] : <5, 8> -> <2, 5, 4>
  %k = xf.rearrange %y[n, (i c)] -> [i, n, c] : <5, 8> -> <2, 5, 4>
  %v = xf.rearrange %z[n, (i c)] -> [i, n, c] : <5, 8> -> <2, 5, 4>
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, 5, 4>, <2, 5, 4>
  %1 = xf.softmax %0 : <2, 5, 5>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <2, 5, 5>, <2, 5, 4>
  %3 = xf.rearrange %2[i, n, c] -> [n, (i c)] : <2, 5, 4> -> <5, 8>
  xf.return %3 : !xf.real<5, 8>
}

// -----

// If others read a value unrounded, the product itself rounds its operand. If
// all readers round it, the kernel that computes it rounds it for all.
// CHECK-LABEL: xf.entry @rounded
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 8>, %[[W:.*]]: !xf.real<8, 8>)
// CHECK-NEXT: %[[A:.*]] = xf.launch @round_contract_gelu_round(%[[X]], %[[W]])
// CHECK-NEXT: %[[B:.*]] = xf.launch @contract(%[[A]], %[[W]])
// CHECK-NEXT: %[[C:.*]] = xf.launch @contract_round(%[[A]], %[[W]])
// CHECK-NEXT: xf.return %[[B]], %[[C]]
// CHECK: xf.kernel @round_contract_gelu_round
// CHECK-NEXT: %[[R:.*]] = xf.round
// CHECK-NEXT: %[[P:.*]] = xf.contract %[[R]]
// CHECK-NEXT: %[[G:.*]] = xf.gelu %[[P]]
// CHECK-NEXT: xf.round %[[G]]
xf.entry @rounded(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %0 = xf.round %x to bf16 : <n, 8>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %2 = xf.gelu %1 : <n, 8>
  %3 = xf.round %2 to bf16 : <n, 8>
  %4 = xf.contract %3[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %5 = xf.contract %3[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %6 = xf.round %5 to bf16 : <n, 8>
  xf.return %4, %6 : !xf.real<n, 8>, !xf.real<n, 8>
}

// -----

// Rows are quantized to integers only by products.
// CHECK-LABEL: xf.entry @quantized
// CHECK-NEXT: %[[A:.*]] = xf.launch @quantize_contract_gelu(
// CHECK-NEXT: %[[B:.*]] = xf.launch @quantize_contract(%[[A]],
// CHECK-NEXT: xf.return %[[B]]
xf.entry @quantized(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %0 = xf.quantize %x by 8 : <n, 8>
  %1 = xf.contract %0[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %2 = xf.gelu %1 : <n, 8>
  %3 = xf.quantize %2 by 8 : <n, 8>
  %4 = xf.contract %3[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %4 : !xf.real<n, 8>
}

// -----

// Scalars computed from lengths are computed again in each kernel, which gets
// an argument with the length; one that is cached is a separate kernel.
xf.cache @counted.0 : !xf.real<>
// CHECK-LABEL: xf.entry @counted
// CHECK-SAME: (%[[T:.*]]: !xf.integer<n>, %[[X:.*]]: !xf.real<8>)
// CHECK-NEXT: %[[N:.*]] = xf.launch @length(%[[T]]) : (!xf.integer<n>) -> !xf.real<>
// CHECK-NEXT: xf.cache_write %[[N]] in @counted.0
// CHECK-NEXT: %[[Y:.*]] = xf.launch @multiply(%[[X]], %[[T]])
// CHECK-NEXT: xf.return %[[Y]]
// CHECK: xf.kernel @multiply
// CHECK-NEXT: %[[M:.*]] = xf.length
// CHECK-NEXT: %[[H:.*]] = xf.tabulate "[] = %0[] / 2"(%[[M]])
// CHECK-NEXT: xf.multiply %{{.*}}[c], %[[H]][]
xf.entry @counted(%t: !xf.integer<n>, %x: !xf.real<8>) -> !xf.real<8> {
  %n = xf.length %t axis 0 : !xf.integer<n>
  %h = xf.tabulate "[] = %0[] / 2"(%n) : (!xf.real<>) -> !xf.real<>
  xf.cache_write %n in @counted.0 : <>
  %y = xf.multiply %x[c], %h[] -> [c] : <8>, <>
  xf.return %y : !xf.real<8>
}
