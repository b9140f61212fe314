// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches run over the rows of all sequences at once, and which for each
// sequence separately.

// RUN: %transfold-opt -xf-form-kernels -xf-derive-batch %s | FileCheck %s

xf.stored @W : !xf.real<8, 8> from "W" as #xf.layout<([8:8], [8:1])>
xf.stored @P : !xf.real<16, 8> from "P" as #xf.layout<([16:8], [8:1])>
xf.stored @b : !xf.real<8> from "b" as #xf.layout<([8:1])>

// Independent rows: a product with a weight, arithmetic, a norm over columns.
// CHECK-LABEL: xf.entry @rows
// CHECK: xf.launch @contract_add(
// CHECK-NOT: per_sequence
// CHECK: xf.launch @standardize(
// CHECK-NOT: per_sequence
// CHECK: xf.return
xf.entry @rows(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>) {
  %W = xf.weight @W : !xf.real<8, 8>
  %b = xf.weight @b : !xf.real<8>
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 8>, !xf.real<8, 8>
  %1 = xf.add %0[n, c], %b[c] -> [n, c] : !xf.real<n, 8>, !xf.real<8>
  %2 = xf.standardize %1 epsilon <"1/1000"> : !xf.real<n, 8>
  xf.return %2 : !xf.real<n, 8>
}

// Rows of one sequence are combined: attention.
// CHECK-LABEL: xf.entry @attention
// CHECK: xf.launch @contract_softmax_contract({{.*}}) {per_sequence}
xf.entry @attention(%q: !xf.real<2, n, 4>) -> (!xf.real<2, n, 4>) {
  %s = xf.contract %q[i, n, c], %q[i, m, c] -> [i, n, m] : !xf.real<2, n, 4>, !xf.real<2, n, 4>
  %p = xf.softmax %s : !xf.real<2, n, n>
  %h = xf.contract %p[i, n, m], %q[i, m, c] -> [i, n, c] : !xf.real<2, n, n>, !xf.real<2, n, 4>
  xf.return %h : !xf.real<2, n, 4>
}

// Positions are counted from the start of each sequence.
// CHECK-LABEL: xf.entry @positions
// CHECK: xf.launch @slice_add({{.*}}) {per_sequence}
xf.entry @positions(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>) {
  %P = xf.weight @P : !xf.real<16, 8>
  %p = xf.slice %P axis 0 from 0 : !xf.real<16, 8> -> !xf.real<n, 8>
  %0 = xf.add %x[n, c], %p[n, c] -> [n, c] : !xf.real<n, 8>, !xf.real<n, 8>
  xf.return %0 : !xf.real<n, 8>
}

// A mask over a constant number of keys needs the position of the query, if it
// depends on it.
// CHECK-LABEL: xf.entry @masked
// CHECK: xf.launch @softmax({{.*}}) {per_sequence}
// CHECK: xf.launch @softmax_2({{.*}}) :
xf.entry @masked(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>, !xf.real<n, 8>) {
  %0 = xf.softmax %x where [j <= i] : !xf.real<n, 8>
  %1 = xf.softmax %x where [j <= 3] : !xf.real<n, 8>
  xf.return %0, %1 : !xf.real<n, 8>, !xf.real<n, 8>
}

// A mean over rows, and what follows from it: one value for each sequence.
// CHECK-LABEL: xf.entry @pooled
// CHECK: xf.launch @mean({{.*}}) {per_sequence}
// CHECK: xf.launch @unit({{.*}}) {per_sequence}
xf.entry @pooled(%x: !xf.real<n, 8>) -> (!xf.real<8>) {
  %0 = xf.mean %x over 0 : !xf.real<n, 8>
  %1 = xf.unit %0 : !xf.real<8>
  xf.return %1 : !xf.real<8>
}

// A row kernel that reads a value of the sequence cannot run over all rows:
// each sequence has its own.
// CHECK-LABEL: xf.entry @mixed
// CHECK: xf.launch @add({{.*}}) {per_sequence}
xf.entry @mixed(%x: !xf.real<n, 8>, %v: !xf.real<8>) -> (!xf.real<n, 8>) {
  %0 = xf.add %x[n, c], %v[c] -> [n, c] : !xf.real<n, 8>, !xf.real<8>
  xf.return %0 : !xf.real<n, 8>
}

// Two lengths: a row of one is independent of the other.
// CHECK-LABEL: xf.entry @two_lengths
// CHECK: xf.launch @contract_softmax_contract{{.*}} {per_sequence}
// CHECK: xf.launch @negate({{.*}}) :
xf.entry @two_lengths(%q: !xf.real<1, m, 4>, %k: !xf.real<1, n, 4>) -> (!xf.real<1, m, 4>) {
  %s = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : !xf.real<1, m, 4>, !xf.real<1, n, 4>
  %p = xf.softmax %s : !xf.real<1, m, n>
  %h = xf.contract %p[i, n, m], %k[i, m, c] -> [i, n, c] : !xf.real<1, m, n>, !xf.real<1, n, 4>
  %a = xf.rearrange %h[i, n, c] -> [n, (i c)] : !xf.real<1, m, 4> -> !xf.real<m, 4>
  %b = xf.negate %a : !xf.real<m, 4>
  %c = xf.rearrange %b[n, (i c)] -> [i, n, c] : !xf.real<m, 4> -> !xf.real<1, m, 4>
  xf.return %c : !xf.real<1, m, 4>
}

// A table of positions starts again in each sequence; rotating rows by it does
// not depend on other rows.
// CHECK-LABEL: xf.entry @rotary
// CHECK: xf.launch @tabulate() {per_sequence}
// CHECK: xf.launch @rotate(
// CHECK-NOT: per_sequence
// CHECK: xf.return
xf.entry @rotary(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>) {
  %t = xf.tabulate "[t, c] = sin(t * c)"() : () -> !xf.real<n, 4>
  %y = xf.rotate %x by %t, %t : <n, 8>, <n, 4>
  xf.return %y : !xf.real<n, 8>
}

// Windows of rows depend on neighboring rows.
// CHECK-LABEL: xf.entry @neighbours
// CHECK: xf.launch @unfold({{.*}}) {per_sequence}
xf.entry @neighbours(%x: !xf.real<n, 8>) -> (!xf.real<n, 3, 8>) {
  %w = xf.unfold %x stride 1 pad 1 : <n, 8> -> <n, 3, 8>
  xf.return %w : !xf.real<n, 3, 8>
}

// With a stride each sequence has fewer rows, which are treated like others.
// CHECK-LABEL: xf.entry @halves
// CHECK: xf.launch @unfold_2({{.*}}) {per_sequence}
// CHECK: xf.launch @contract(
// CHECK-NOT: per_sequence
// CHECK: xf.return
xf.entry @halves(%x: !xf.real<n, 8>) -> (!xf.real<"(n + 1) div 2", 3, 8>) {
  %W = xf.weight @W : !xf.real<8, 8>
  %w = xf.unfold %x stride 2 pad 1 : <n, 8> -> <"(n + 1) div 2", 3, 8>
  %y = xf.contract %w[t, k, c], %W[c, d] -> [t, k, d] : !xf.real<"(n + 1) div 2", 3, 8>, !xf.real<8, 8>
  xf.return %y : !xf.real<"(n + 1) div 2", 3, 8>
}

// Rows are gathered from those of all sequences, computed, and scattered back.
// CHECK-LABEL: xf.entry @chosen
// CHECK-NOT: per_sequence
// CHECK: xf.return
xf.entry @chosen(%x: !xf.real<n, 8>, %g: !xf.real<n>) -> (!xf.real<n, 8>) {
  %r = xf.running_count %g : <n>
  %p = xf.compress %x by %r : <n, 8>, <n> -> <chosen0, 8>
  %a = xf.unit_rms %p epsilon <"1/100"> : <chosen0, 8>
  %y = xf.expand %a by %r : <chosen0, 8>, <n>
  xf.return %y : !xf.real<n, 8>
}

// Each sequence has its own length, regardless of what is multiplied by it.
// CHECK-LABEL: xf.entry @length
// CHECK: xf.launch @contract_multiply({{.*}}) {per_sequence}
xf.entry @length(%x: !xf.real<n, 8>) -> (!xf.real<n, 8>) {
  %W = xf.weight @W : !xf.real<8, 8>
  %n = xf.length %x axis 0 : !xf.real<n, 8>
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 8>, !xf.real<8, 8>
  %1 = xf.multiply %0[n, c], %n[] -> [n, c] : !xf.real<n, 8>, !xf.real<>
  xf.return %1 : !xf.real<n, 8>
}
