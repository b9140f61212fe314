// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-place-weights -split-input-file | FileCheck %s
// The forms of a weight in the program's file, and their places.

// Members begin at multiples of 64 bytes: 8 elements are 32 bytes and take 64.
// A weight that is not read has no place.
// CHECK-NOT: @unused
// CHECK: xf.stored @b[l = 3] : {{.*}} at <storage = <f32>, offset = 0, stride = 64>
// CHECK: xf.stored @g : {{.*}} at <storage = <f32>, offset = 192, stride = 64>
xf.stored @unused : !xf.real<8> from "unused" as <([8:1])>
xf.stored @b[l = 3] : !xf.real<8> from "b{l}" as <([8:1])>
xf.stored @g : !xf.real<8> from "g" as <([8:1])>
xf.kernel @add(%x: !xf.real<8>, %y: !xf.real<8>) -> !xf.real<8> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.add %x[c], %y[c] -> [c] : <8>, <8>
  xf.return %0 : !xf.real<8>
}
xf.entry @f() -> !xf.real<8> {
  %g = xf.weight @g : <8>
  %s = xf.launch @add(%g, %g) : (!xf.real<8>, !xf.real<8>) -> !xf.real<8>
  %y = xf.layers %l < 3 (%a = %s) : !xf.real<8> {
    %b = xf.weight @b[%l] : <8>
    %c = xf.launch @add(%a, %b) : (!xf.real<8>, !xf.real<8>) -> !xf.real<8>
    xf.yield %c : !xf.real<8>
  }
  xf.return %y : !xf.real<8>
}

// -----

// Columns in panels: 10 columns are three panels of 4, 5 · 3 · 4 · 4 bytes =
// 240, 256 including the alignment of the next. If it is also read unpacked, it
// is stored twice. Two widths are two forms.
// CHECK: xf.stored @E : {{.*}} at <storage = <f32>, offset = 0, stride = 256>
// CHECK: xf.stored @[[FOUR:E.panels2?]] : {{.*}} at <storage = <f32, <4>>, offset = 256, stride = 256>
// CHECK: xf.stored @[[EIGHT:E.panels2?]] : {{.*}} at <storage = <f32, <8>>, offset = 512, stride = 320>
// CHECK-NOT: xf.stored
// CHECK-LABEL: xf.entry @g
// CHECK-DAG: %[[P4:.*]] = xf.weight @[[FOUR]] : <5, 10>
// CHECK-DAG: %[[P8:.*]] = xf.weight @[[EIGHT]] : <5, 10>
// CHECK-DAG: %[[E:.*]] = xf.weight @E : <5, 10>
// CHECK: xf.launch @rows(%[[E]], %{{.*}})
// CHECK: xf.launch @four(%{{.*}}, %[[P4]])
// CHECK: xf.launch @eight(%{{.*}}, %[[P8]])
// CHECK-LABEL: xf.entry @h
// CHECK: %[[P4:.*]] = xf.weight @[[FOUR]] : <5, 10>
// CHECK: xf.launch @four(%{{.*}}, %[[P4]])
xf.stored @E : !xf.real<5, 10> from "E" as <([5:10], [10:1])>
xf.kernel @rows(%E: !xf.real<5, 10>, %t: !xf.integer<n>) -> !xf.real<n, 10> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.gather %E[%t] : <5, 10>, <n>
  xf.return %0 : !xf.real<n, 10>
}
xf.kernel @four(%x: !xf.real<n, 5>, %E: !xf.real<5, 10> {xf.storage = #xf.storage<f32, <4>>}) -> !xf.real<n, 10> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %E[k, c] -> [n, c] : <n, 5>, <5, 10>
  xf.return %0 : !xf.real<n, 10>
}
xf.kernel @eight(%x: !xf.real<n, 5>, %E: !xf.real<5, 10> {xf.storage = #xf.storage<f32, <8>>}) -> !xf.real<n, 10> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %E[k, c] -> [n, c] : <n, 5>, <5, 10>
  xf.return %0 : !xf.real<n, 10>
}
xf.entry @g(%t: !xf.integer<n>, %x: !xf.real<n, 5>) -> (!xf.real<n, 10>, !xf.real<n, 10>, !xf.real<n, 10>) {
  %E = xf.weight @E : <5, 10>
  %a = xf.launch @rows(%E, %t) : (!xf.real<5, 10>, !xf.integer<n>) -> !xf.real<n, 10>
  %b = xf.launch @four(%x, %E) : (!xf.real<n, 5>, !xf.real<5, 10>) -> !xf.real<n, 10>
  %c = xf.launch @eight(%x, %E) : (!xf.real<n, 5>, !xf.real<5, 10>) -> !xf.real<n, 10>
  xf.return %a, %b, %c : !xf.real<n, 10>, !xf.real<n, 10>, !xf.real<n, 10>
}
// A second entry that reads the same form reads the same bytes.
xf.entry @h(%x: !xf.real<n, 5>) -> !xf.real<n, 10> {
  %E = xf.weight @E : <5, 10>
  %b = xf.launch @four(%x, %E) : (!xf.real<n, 5>, !xf.real<5, 10>) -> !xf.real<n, 10>
  xf.return %b : !xf.real<n, 10>
}

// -----

// Only panels are read: the plain form has no place, and layers are stored one
// after the other.
// CHECK-NOT: xf.stored @W[
// CHECK: xf.stored @W.panels[l = 2] : {{.*}} at <storage = <f32, <8>>, offset = 0, stride = 256>
// CHECK-NOT: xf.stored
// CHECK: xf.weight @W.panels[%{{.*}}] : <8, 8>
xf.stored @W[l = 2] : !xf.real<8, 8> from "W{l}" as <([8:8], [8:1])>
xf.kernel @product(%x: !xf.real<n, 8>, %W: !xf.real<8, 8> {xf.storage = #xf.storage<f32, <8>>}) -> !xf.real<n, 8> attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %0 : !xf.real<n, 8>
}
xf.entry @f(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %y = xf.layers %l < 2 (%a = %x) : !xf.real<n, 8> {
    %W = xf.weight @W[%l] : <8, 8>
    %b = xf.launch @product(%a, %W) : (!xf.real<n, 8>, !xf.real<8, 8>) -> !xf.real<n, 8>
    xf.yield %b : !xf.real<n, 8>
  }
  xf.return %y : !xf.real<n, 8>
}
