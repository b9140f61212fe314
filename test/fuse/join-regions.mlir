// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels='on-device' -split-input-file | FileCheck %s
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s --check-prefix=PROCESSOR
// What becomes one launch on a device alone.

// Both products of a gated layer.
// CHECK-LABEL: xf.entry @gated
// CHECK-NOT: xf.launch @contract(
// CHECK: %[[Y:.*]] = xf.launch @contract_contract_sigmoid_multiply_multiply(%arg0, %{{.*}}, %{{.*}})
// CHECK-NEXT: xf.return %[[Y]]
// PROCESSOR-LABEL: xf.entry @gated
// PROCESSOR: xf.launch @contract(
// PROCESSOR: xf.launch @contract_sigmoid_multiply_multiply(
xf.stored @W : !xf.real<8, 6> from "W" as <([8:6], [6:1])>
xf.stored @V : !xf.real<8, 6> from "V" as <([8:6], [6:1])>
xf.entry @gated(%x: !xf.real<n, 8>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %u = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %s = xf.sigmoid %y : <n, 6>
  %z = xf.multiply %y[n, c], %s[n, c] -> [n, c] : <n, 6>, <n, 6>
  %g = xf.multiply %z[n, c], %u[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %g : !xf.real<n, 6>
}

// -----

// Each with a bias; and three of them are two launches.
// CHECK-LABEL: xf.entry @three
// CHECK: %[[V:.*]] = xf.launch @contract(
// CHECK-NEXT: %[[Z:.*]] = xf.launch @contract_add_contract_add_multiply_multiply(%arg0, %{{.*}}, %arg1, %{{.*}}, %[[V]])
// CHECK-NEXT: xf.return %[[Z]]
xf.stored @W : !xf.real<8, 6> from "W" as <([8:6], [6:1])>
xf.stored @V : !xf.real<8, 6> from "V" as <([8:6], [6:1])>
xf.stored @U : !xf.real<8, 6> from "U" as <([8:6], [6:1])>
xf.entry @three(%x: !xf.real<n, 8>, %b: !xf.real<6>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %U = xf.weight @U : <8, 6>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %a = xf.add %y[n, c], %b[c] -> [n, c] : <n, 6>, <6>
  %u = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %c = xf.add %u[n, c], %b[c] -> [n, c] : <n, 6>, <6>
  %v = xf.contract %x[n, k], %U[k, c] -> [n, c] : <n, 8>, <8, 6>
  %g = xf.multiply %a[n, c], %c[n, c] -> [n, c] : <n, 6>, <n, 6>
  %h = xf.multiply %g[n, c], %v[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %h : !xf.real<n, 6>
}

// -----

// Of other values, in other formats, of another width, or read elsewhere, too: none.
// CHECK-LABEL: xf.entry @other_value
// CHECK: xf.launch @contract(
// CHECK: xf.launch @contract_multiply(
// CHECK-LABEL: xf.entry @other_format
// CHECK: xf.launch @contract(
// CHECK: xf.launch @contract_multiply(
// CHECK-LABEL: xf.entry @read_twice
// CHECK: xf.launch @contract(
// CHECK: xf.launch @contract_multiply(
xf.stored @W : !xf.real<8, 6> from "W" as <([8:6], [6:1])>
xf.stored @V : !xf.real<8, 6> from "V" as <([8:6], [6:1])>
xf.stored @H : !xf.real<8, 6> from "H" in bf16 as <([8:6], [6:1])>
xf.entry @other_value(%x: !xf.real<n, 8>, %z: !xf.real<n, 8>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %u = xf.contract %z[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %g = xf.multiply %y[n, c], %u[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %g : !xf.real<n, 6>
}
xf.entry @other_format(%x: !xf.real<n, 8>) -> !xf.real<n, 6> {
  %W = xf.weight @W : <8, 6>
  %H = xf.weight @H : <8, 6>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %u = xf.contract %x[n, k], %H[k, c] -> [n, c] : <n, 8>, <8, 6>
  %g = xf.multiply %y[n, c], %u[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %g : !xf.real<n, 6>
}
xf.entry @read_twice(%x: !xf.real<n, 8>) -> (!xf.real<n, 6>, !xf.real<n, 6>) {
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %y = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %u = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %g = xf.multiply %y[n, c], %u[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %g, %u : !xf.real<n, 6>, !xf.real<n, 6>
}
