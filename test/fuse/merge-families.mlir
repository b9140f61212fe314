// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-merge-families | FileCheck %s
// Families of weights become columns of one matrix; and cases in which they do not.

// The members keep their places; only the order of the axes differs. A bias is
// merged in the same way, and weights that are no longer read are removed.
// CHECK-NOT: xf.stored @W :
// CHECK: xf.stored @W.merged : !xf.real<384, 384> from "W" as <([384:1], [12:12288, 32:384])>
// CHECK: xf.stored @b.merged : !xf.real<384> from "b" plus <"1"> as <([12:32, 32:1])>
// CHECK: xf.stored @perHead :
// CHECK: xf.stored @O.merged[l = 6] : !xf.real<384, 8> from "{l}" as <([384:1], [8:384])>
// CHECK-NOT: @unused
xf.stored @W : !xf.real<12, 384, 32> from "W" as <([12:12288], [384:1], [32:384])>
xf.stored @b : !xf.real<12, 32> from "b" plus <"1"> as <([12:32], [32:1])>
xf.stored @perHead : !xf.real<12, 32, 32> from "p" as <([12:1024], [32:32], [32:1])>
xf.stored @O[l = 6] : !xf.real<8, 384> from "{l}" as <([8:384], [384:1])>
xf.stored @M : !xf.real<384, 8> from "M" as <([384:8], [8:1])>
xf.stored @part : !xf.real<12> from "part" as <([12:1])>
xf.stored @shift : !xf.real<384> from "shift" as <([384:1])>
xf.stored @unused : !xf.real<384> from "unused" as <([384:1])>

// CHECK-LABEL: xf.entry @family
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 384>)
// CHECK: %[[W:.*]] = xf.weight @W.merged : <384, 384>
// CHECK: %[[Q:.*]] = xf.contract %[[X]][n, k], %[[W]][k, c] -> [n, c] : <n, 384>, <384, 384>
// CHECK: %[[B:.*]] = xf.weight @b.merged : <384>
// CHECK: %[[R:.*]] = xf.add %[[Q]][n, c], %[[B]][c] -> [n, c] : <n, 384>, <384>
// CHECK: %[[G:.*]] = xf.gelu %[[R]] : <n, 384>
// CHECK: %[[S:.*]] = xf.scale %[[G]] by <"1/sqrt(32)"> "s" : <n, 384>
// CHECK: %[[H:.*]] = xf.rearrange %[[S]][n, (i c)] -> [i, n, c] : <n, 384> -> <12, n, 32>
// CHECK: xf.return %[[H]]
xf.entry @family(%x: !xf.real<n, 384>) -> !xf.real<12, n, 32> {
  %W = xf.weight @W : <12, 384, 32>
  %b = xf.weight @b : <12, 32>
  %q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  %r = xf.add %q[i, n, c], %b[i, c] -> [i, n, c] : <12, n, 32>, <12, 32>
  %g = xf.gelu %r : <12, n, 32>
  %s = xf.scale %g by <"1/sqrt(32)"> "s" : <12, n, 32>
  xf.return %s : !xf.real<12, n, 32>
}

// The weight may be the first operand, and so may the bias: operands keep their
// sides, which a subtraction needs.
// CHECK-LABEL: xf.entry @swapped
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 384>)
// CHECK: %[[Q:.*]] = xf.contract %[[X]][n, k], %{{.*}}[k, c] -> [n, c]
// CHECK: %[[R:.*]] = xf.subtract %{{.*}}[c], %[[Q]][n, c] -> [n, c] : <384>, <n, 384>
// CHECK: xf.rearrange %[[R]][n, (i c)] -> [i, n, c]
xf.entry @swapped(%x: !xf.real<n, 384>) -> !xf.real<12, n, 32> {
  %W = xf.weight @W : <12, 384, 32>
  %b = xf.weight @b : <12, 32>
  %q = xf.contract %W[i, k, c], %x[n, k] -> [i, n, c] : <12, 384, 32>, <n, 384>
  %r = xf.subtract %b[i, c], %q[i, n, c] -> [i, n, c] : <12, 32>, <12, n, 32>
  xf.return %r : !xf.real<12, n, 32>
}

// The order of the columns is that of the result.
// CHECK-LABEL: xf.entry @columns
// CHECK: xf.weight @W.merged2 : <384, 384>
// CHECK: xf.rearrange %{{.*}}[n, (c i)] -> [n, c, i] : <n, 384> -> <n, 32, 12>
xf.entry @columns(%x: !xf.real<n, 384>) -> !xf.real<n, 32, 12> {
  %W = xf.weight @W : <12, 384, 32>
  %q = xf.contract %x[n, k], %W[i, k, c] -> [n, c, i] : <n, 384>, <12, 384, 32>
  xf.return %q : !xf.real<n, 32, 12>
}

// A matrix that is stored transposed is read transposed; the layer index is kept.
// CHECK-LABEL: xf.entry @transposed
// CHECK: xf.layers %[[L:.*]] <
// CHECK: %[[O:.*]] = xf.weight @O.merged[%[[L]]] : <384, 8>
// CHECK: xf.contract %{{.*}}[n, k], %[[O]][k, c] -> [n, c] : <n, 384>, <384, 8>
xf.entry @transposed(%x: !xf.real<n, 384>) -> !xf.real<n, 384> {
  %y = xf.layers %l < 6 (%a = %x) : !xf.real<n, 384> {
    %O = xf.weight @O[%l] : <8, 384>
    %z = xf.contract %a[n, k], %O[c, k] -> [n, c] : <n, 384>, <8, 384>
    %b = xf.contract %z[n, c], %O[c, k] -> [n, k] : <n, 8>, <8, 384>
    xf.yield %b : !xf.real<n, 384>
  }
  xf.return %y : !xf.real<n, 384>
}

// A product x[n, k] @ W[k, c] is unchanged, for any names of its labels.
// CHECK-LABEL: xf.entry @already
// CHECK: xf.contract %{{.*}}[row, in], %{{.*}}[in, out] -> [row, out]
// CHECK-NOT: xf.rearrange
// CHECK: xf.return
xf.entry @already(%x: !xf.real<n, 384>) -> !xf.real<n, 8> {
  %M = xf.weight @M : <384, 8>
  %y = xf.contract %x[row, in], %M[in, out] -> [row, out] : <n, 384>, <384, 8>
  xf.return %y : !xf.real<n, 8>
}

// Each head has a separate weight: not one matrix.
// CHECK-LABEL: xf.entry @per_member
// CHECK: xf.contract %{{.*}}[i, n, k], %{{.*}}[i, k, c] -> [i, n, c] : <12, n, 32>, <12, 32, 32>
// CHECK-NEXT: xf.return
xf.entry @per_member(%x: !xf.real<12, n, 32>) -> !xf.real<12, n, 32> {
  %P = xf.weight @perHead : <12, 32, 32>
  %y = xf.contract %x[i, n, k], %P[i, k, c] -> [i, n, c] : <12, n, 32>, <12, 32, 32>
  xf.return %y : !xf.real<12, n, 32>
}

// Neither operand is a weight.
// CHECK-LABEL: xf.entry @no_weight
// CHECK: xf.contract %{{.*}}[i, n, c], %{{.*}}[i, m, c] -> [i, n, m]
// CHECK-NEXT: xf.return
xf.entry @no_weight(%q: !xf.real<12, n, 32>, %k: !xf.real<12, m, 32>) -> !xf.real<12, n, m> {
  %s = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <12, n, 32>, <12, m, 32>
  xf.return %s : !xf.real<12, n, m>
}

// The split is read twice: it cannot move past one of its readers.
// CHECK-LABEL: xf.entry @two_uses
// CHECK: %[[Q:.*]] = xf.contract
// CHECK: %[[S:.*]] = xf.rearrange %[[Q]][n, (i c)] -> [i, n, c]
// CHECK: %[[G:.*]] = xf.gelu %[[S]] : <12, n, 32>
// CHECK: xf.return %[[S]], %[[G]]
xf.entry @two_uses(%x: !xf.real<n, 384>) -> (!xf.real<12, n, 32>, !xf.real<12, n, 32>) {
  %W = xf.weight @W : <12, 384, 32>
  %q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  %g = xf.gelu %q : <12, n, 32>
  xf.return %q, %g : !xf.real<12, n, 32>, !xf.real<12, n, 32>
}

// One value per head has a part of a merged axis: it stays outside.
// CHECK-LABEL: xf.entry @part_of_axis
// CHECK: %[[S:.*]] = xf.rearrange %{{.*}}[n, (i c)] -> [i, n, c]
// CHECK: xf.multiply %[[S]][i, n, c], %{{.*}}[i] -> [i, n, c] : <12, n, 32>, <12>
xf.entry @part_of_axis(%x: !xf.real<n, 384>) -> !xf.real<12, n, 32> {
  %W = xf.weight @W : <12, 384, 32>
  %p = xf.weight @part : <12>
  %q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  %r = xf.multiply %q[i, n, c], %p[i] -> [i, n, c] : <12, n, 32>, <12>
  xf.return %r : !xf.real<12, n, 32>
}

// So does a value that is not a weight: it would have to be merged.
// CHECK-LABEL: xf.entry @other_value
// CHECK: %[[S:.*]] = xf.rearrange %{{.*}}[n, (i c)] -> [i, n, c]
// CHECK: xf.add %[[S]][i, n, c], %{{.*}}[i, n, c] -> [i, n, c]
xf.entry @other_value(%x: !xf.real<n, 384>, %y: !xf.real<12, n, 32>) -> !xf.real<12, n, 32> {
  %W = xf.weight @W : <12, 384, 32>
  %q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c] : <n, 384>, <12, 384, 32>
  %r = xf.add %q[i, n, c], %y[i, n, c] -> [i, n, c] : <12, n, 32>, <12, n, 32>
  xf.return %r : !xf.real<12, n, 32>
}

// A split that is joined again is removed; a split that is joined in another order is not.
// CHECK-LABEL: xf.entry @cancel
// CHECK-SAME: (%[[X:.*]]: !xf.real<n, 384>)
// CHECK: %[[H:.*]] = xf.rearrange %[[X]][n, (i c)] -> [i, n, c]
// CHECK: %[[J:.*]] = xf.rearrange %[[H]][a, n, b] -> [n, (b a)]
// CHECK: xf.return %[[X]], %[[J]]
xf.entry @cancel(%x: !xf.real<n, 384>) -> (!xf.real<n, 384>, !xf.real<n, 384>) {
  %h = xf.rearrange %x[n, (i c)] -> [i, n, c] : <n, 384> -> <12, n, 32>
  %j = xf.rearrange %h[a, rows, b] -> [rows, (a b)] : <12, n, 32> -> <n, 384>
  %k = xf.rearrange %h[a, n, b] -> [n, (b a)] : <12, n, 32> -> <n, 384>
  xf.return %j, %k : !xf.real<n, 384>, !xf.real<n, 384>
}

// An axis of one position without a label.
// CHECK-LABEL: xf.entry @no_label
// CHECK: xf.rearrange
// CHECK: xf.add
xf.entry @no_label(%x: !xf.real<n, 1, 384>) -> !xf.real<n, 384> {
  %s = xf.weight @shift : <384>
  %y = xf.rearrange %x[n, (), c] -> [n, c] : <n, 1, 384> -> <n, 384>
  %z = xf.add %y[n, c], %s[c] -> [n, c] : <n, 384>, <384>
  xf.return %z : !xf.real<n, 384>
}

// A weight as a matrix of one row, and one whose rows are split: other views of
// the stored tensor. A split across a factor is unchanged.
// CHECK-DAG: xf.stored @c.merged : !xf.real<1, 6> from "c" as <([], [6:1])>
// CHECK-DAG: xf.stored @P.merged : !xf.real<4, 2, 3> from "P" as <([2:2, 2:1], [2:4], [3:8])>
// CHECK-LABEL: xf.entry @views_of_weights
// CHECK: xf.weight @c.merged : <1, 6>
// CHECK: xf.weight @P.merged : <4, 2, 3>
// CHECK: xf.rearrange %{{.*}}[(i c)] -> [i, c] : <6> -> <2, 3>
xf.stored @c : !xf.real<6> from "c" as <([6:1])>
xf.stored @d : !xf.real<6> from "d" as <([3:2, 2:1])>
xf.stored @P : !xf.real<6, 4> from "P" as <([3:8, 2:4], [2:2, 2:1])>
xf.entry @views_of_weights() -> (!xf.real<1, 6>, !xf.real<4, 2, 3>, !xf.real<2, 3>) {
  %c = xf.weight @c : <6>
  %d = xf.weight @d : <6>
  %P = xf.weight @P : <6, 4>
  %0 = xf.rearrange %c[(r c)] -> [r, c] : <6> -> <1, 6>
  %1 = xf.rearrange %P[(a b), c] -> [c, b, a] : <6, 4> -> <4, 2, 3>
  %2 = xf.rearrange %d[(i c)] -> [i, c] : <6> -> <2, 3>
  xf.return %0, %1, %2 : !xf.real<1, 6>, !xf.real<4, 2, 3>, !xf.real<2, 3>
}
