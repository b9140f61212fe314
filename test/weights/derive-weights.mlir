// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -xf-derive-weights | FileCheck %s
// Values computed from weights alone become weights, if that does not take more
// bytes.

// CHECK: xf.stored @c.derived : !xf.real<8> as <([8:1])> derived {
// CHECK-NEXT: %[[c:.*]] = xf.weight @c : <8>
// CHECK-NEXT: %[[b:.*]] = xf.weight @b : <4>
// CHECK-NEXT: %[[W:.*]] = xf.weight @W : <4, 8>
// CHECK-NEXT: %[[t:.*]] = xf.contract %[[b]][k], %[[W]][k, c] -> [c]
// CHECK-NEXT: %[[u:.*]] = xf.add %[[c]][c], %[[t]][c] -> [c]
// CHECK-NEXT: xf.yield %[[u]] : !xf.real<8>
// CHECK-NOT: derived {
// CHECK-LABEL: xf.entry @sum
// CHECK: %[[d:.*]] = xf.weight @c.derived : <8>
// CHECK: xf.add %{{.*}}[n, c], %[[d]][c]
// CHECK-LABEL: xf.entry @again
// CHECK: xf.weight @c.derived : <8>
xf.stored @b : !xf.real<4> from "b" as <([4:1])>
xf.stored @c : !xf.real<8> from "c" as <([8:1])>
xf.stored @W : !xf.real<4, 8> from "W" as <([4:8], [8:1])>
xf.entry @sum(%x: !xf.real<n, 4>) -> !xf.real<n, 8> {
  %c = xf.weight @c : <8>
  %b = xf.weight @b : <4>
  %W = xf.weight @W : <4, 8>
  %t = xf.contract %b[k], %W[k, c] -> [c] : <4>, <4, 8>
  %d = xf.add %c[c], %t[c] -> [c] : <8>, <8>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 4>, <4, 8>
  %z = xf.add %y[n, c], %d[c] -> [n, c] : <n, 8>, <8>
  xf.return %z : !xf.real<n, 8>
}
// Equal ones are stored once.
xf.entry @again() -> !xf.real<8> {
  %c = xf.weight @c : <8>
  %b = xf.weight @b : <4>
  %W = xf.weight @W : <4, 8>
  %t = xf.contract %b[k], %W[k, c] -> [c] : <4>, <4, 8>
  %d = xf.add %c[c], %t[c] -> [c] : <8>, <8>
  xf.return %d : !xf.real<8>
}

// -----

// A table of all pairs has more bytes than both operands: it is not stored.
// CHECK-NOT: derived
// CHECK-LABEL: xf.entry @larger
// CHECK: xf.multiply
xf.stored @b : !xf.real<40> from "b" as <([40:1])>
xf.stored @c : !xf.real<80> from "c" as <([80:1])>
xf.entry @larger() -> !xf.real<40, 80> {
  %b = xf.weight @b : <40>
  %c = xf.weight @c : <80>
  %t = xf.multiply %b[i], %c[j] -> [i, j] : <40>, <80>
  xf.return %t : !xf.real<40, 80>
}

// -----

// A 16-bit matrix would become a 32-bit one.
// CHECK-NOT: derived
// CHECK-LABEL: xf.entry @wider
// CHECK: xf.multiply
xf.stored @g : !xf.real<4> from "g" as <([4:1])>
xf.stored @W : !xf.real<4, 8> from "W" in bf16 as <([4:8], [8:1])>
xf.entry @wider() -> !xf.real<4, 8> {
  %g = xf.weight @g : <4>
  %W = xf.weight @W : <4, 8>
  %t = xf.multiply %W[k, c], %g[k] -> [k, c] : <4, 8>, <4>
  xf.return %t : !xf.real<4, 8>
}

// -----

// A view stays a view, and constants of the equations are left to folding.
// CHECK-NOT: derived
// CHECK-LABEL: xf.entry @view
// CHECK: xf.rearrange
// CHECK: xf.scale
xf.stored @W : !xf.real<4, 8> from "W" as <([4:8], [8:1])>
xf.entry @view() -> (!xf.real<32>, !xf.real<4, 8>) {
  %W = xf.weight @W : <4, 8>
  %v = xf.rearrange %W[i, c] -> [(i c)] : <4, 8> -> <32>
  %s = xf.scale %W by <"2"> "c" : <4, 8>
  xf.return %v, %s : !xf.real<32>, !xf.real<4, 8>
}

// -----

// Values that a loop carries along with its stream: one weight per layer, and
// after the loop the last.
// CHECK-DAG: xf.stored @r.carried[l = 3] : !xf.real<4> of <[@r0, @r]> as <([4:1])>
// CHECK-DAG: xf.stored @r.last : !xf.real<4> of <[@r], 2> as <([4:1])>
// CHECK-LABEL: xf.entry @carried
// CHECK: %[[y:.*]] = xf.layers %[[l:.*]] < 3 (%[[x:.*]] = %arg0) : !xf.real<n, 4> {
// CHECK: %[[s:.*]] = xf.weight @r.carried[%[[l]]]
// CHECK: %[[z:.*]] = xf.add %[[x]][n, c], %[[s]][c]
// CHECK: xf.yield %[[z]] : !xf.real<n, 4>
// CHECK: %[[t:.*]] = xf.weight @r.last : <4>
// CHECK: xf.add %[[y]][n, c], %[[t]][c]
xf.stored @r0 : !xf.real<4> from "r" as <([4:1])>
xf.stored @r[l = 3] : !xf.real<4> from "r{l}" as <([4:1])>
xf.entry @carried(%x0: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %r0 = xf.weight @r0 : <4>
  %y, %last = xf.layers %l < 3 (%x = %x0, %s = %r0) : !xf.real<n, 4>, !xf.real<4> {
    %r = xf.weight @r[%l] : <4>
    %z = xf.add %x[n, c], %s[c] -> [n, c] : <n, 4>, <4>
    xf.yield %z, %r : !xf.real<n, 4>, !xf.real<4>
  }
  %u = xf.add %y[n, c], %last[c] -> [n, c] : <n, 4>, <4>
  xf.return %u : !xf.real<n, 4>
}

// -----

// A value that continues from layer to layer stays in the loop.
// CHECK-NOT: of [
// CHECK-LABEL: xf.entry @recurrent
// CHECK: xf.layers %{{.*}} < 3 (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
xf.stored @r0 : !xf.real<4> from "r" as <([4:1])>
xf.entry @recurrent(%x0: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %r0 = xf.weight @r0 : <4>
  %y, %last = xf.layers %l < 3 (%x = %x0, %s = %r0) : !xf.real<n, 4>, !xf.real<4> {
    %z = xf.add %x[n, c], %s[c] -> [n, c] : <n, 4>, <4>
    %t = xf.add %s[c], %r0[c] -> [c] : <4>, <4>
    xf.yield %z, %t : !xf.real<n, 4>, !xf.real<4>
  }
  xf.return %y : !xf.real<n, 4>
}

// -----

// A loop that was cut reads the members of its own layers, and continues with
// its carried value.
// CHECK: xf.stored @b.derived[l = 4] : !xf.real<4> as <([4:1])> derived
// CHECK-LABEL: xf.entry @cut
// CHECK: xf.layers 2 <= %[[l:.*]] < 4 (%[[x:.*]] = %arg0, %[[s:.*]] = %{{.*}})
// CHECK: %[[d:.*]] = xf.weight @b.derived[%[[l]]]
// CHECK: xf.add %[[x]][n, c], %[[d]][c]
// CHECK: xf.add %{{.*}}[n, c], %[[s]][c]
xf.stored @r0 : !xf.real<4> from "r" as <([4:1])>
xf.stored @b[l = 4] : !xf.real<4> from "b{l}" as <([4:1])>
xf.stored @c[l = 4] : !xf.real<4> from "c{l}" as <([4:1])>
xf.entry @cut(%x0: !xf.real<n, 4>) -> !xf.real<n, 4> {
  %r0 = xf.weight @r0 : <4>
  %y, %last = xf.layers 2 <= %l < 4 (%x = %x0, %s = %r0) : !xf.real<n, 4>, !xf.real<4> {
    %b = xf.weight @b[%l] : <4>
    %c = xf.weight @c[%l] : <4>
    %d = xf.add %b[c], %c[c] -> [c] : <4>, <4>
    %z = xf.add %x[n, c], %d[c] -> [n, c] : <n, 4>, <4>
    %t = xf.add %z[n, c], %s[c] -> [n, c] : <n, 4>, <4>
    xf.yield %t, %c : !xf.real<n, 4>, !xf.real<4>
  }
  xf.return %y : !xf.real<n, 4>
}

// -----

// A table by index that is an operand of a product is a weight matrix like any other.
// CHECK: xf.stored @table.derived : !xf.real<3, 4> as <([3:4], [4:1])> derived
// CHECK: xf.tabulate "[j, f] = cos(f * j)"
// CHECK-LABEL: xf.entry @turns
// CHECK: %[[t:.*]] = xf.weight @table.derived : <3, 4>
// CHECK: xf.contract %arg0[n, j], %[[t]][j, f]
xf.entry @turns(%x: !xf.real<n, 3>) -> !xf.real<n, 4> {
  %t = xf.tabulate "[j, f] = cos(f * j)"() : () -> !xf.real<3, 4>
  %y = xf.contract %x[n, j], %t[j, f] -> [n, f] : <n, 3>, <3, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// One that is only added stays an expression of the kernel, and so does one whose size is a length.
// CHECK-NOT: xf.stored
// CHECK-LABEL: xf.entry @others
// CHECK: xf.tabulate
// CHECK: xf.tabulate
xf.entry @others(%x: !xf.real<n, 3>, %y: !xf.real<3, 3>) -> (!xf.real<n, 3>, !xf.real<3, 3>) {
  %t = xf.tabulate "[i, c] = sin(i / (c + 1))"() : () -> !xf.real<n, 3>
  %a = xf.contract %t[n, j], %y[j, c] -> [n, c] : <n, 3>, <3, 3>
  %u = xf.tabulate "[j, f] = cos(f * j)"() : () -> !xf.real<3, 3>
  %b = xf.add %y[j, f], %u[j, f] -> [j, f] : <3, 3>, <3, 3>
  xf.return %a, %b : !xf.real<n, 3>, !xf.real<3, 3>
}
