// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels='on-device' -split-input-file | FileCheck %s
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s --check-prefix=PROCESSOR
// Operations that become one launch only on a device.

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

// With a bias each; and three of them become two launches.
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

// Not with other operands, other formats, another width, or other readers.
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

// -----

// A norm that only a gated layer reads is computed with both products; the next one,
// which a result also depends on, is not. This applies only to entries that run in steps.
// CHECK-LABEL: xf.entry @norms.step
// CHECK: %[[Y:.*]] = xf.launch @unit_rms_multiply_contract_contract_multiply(%arg0, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[N:.*]] = xf.launch @standardize(%[[Y]])
// CHECK: %[[Z:.*]] = xf.launch @contract(%[[N]], %{{.*}})
// CHECK: xf.return %[[Z]], %[[N]]
// CHECK-LABEL: xf.entry @norms(
// CHECK: xf.launch @unit_rms_multiply_contract_contract_multiply(
// CHECK-LABEL: xf.entry @encoder
// CHECK: xf.launch @unit_rms_multiply(
// CHECK: xf.launch @contract_2(
// PROCESSOR-LABEL: xf.entry @norms.step
// PROCESSOR: xf.launch @unit_rms_multiply(
xf.stored @g : !xf.real<8> from "g" as <([8:1])>
xf.stored @W : !xf.real<8, 6> from "W" as <([8:6], [6:1])>
xf.stored @V : !xf.real<8, 6> from "V" as <([8:6], [6:1])>
xf.stored @U : !xf.real<6, 6> from "U" as <([6:6], [6:1])>
xf.entry @norms.step(%x: !xf.real<n, 8>) -> (!xf.real<n, 6>, !xf.real<n, 6>)
    attributes {stage = #xf.stage<step>, stage_of = @norms} {
  %g = xf.weight @g : <8>
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %U = xf.weight @U : <6, 6>
  %m = xf.unit_rms %x epsilon <"0"> : <n, 8>
  %z = xf.multiply %m[n, k], %g[k] -> [n, k] : <n, 8>, <8>
  %a = xf.contract %z[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %b = xf.contract %z[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %a[n, c], %b[n, c] -> [n, c] : <n, 6>, <n, 6>
  %s = xf.standardize %y epsilon <"0"> : <n, 6>
  %r = xf.contract %s[n, k], %U[k, c] -> [n, c] : <n, 6>, <6, 6>
  xf.return %r, %s : !xf.real<n, 6>, !xf.real<n, 6>
}
xf.entry @norms(%x: !xf.real<n, 8>) -> !xf.real<n, 6> {
  %g = xf.weight @g : <8>
  %W = xf.weight @W : <8, 6>
  %V = xf.weight @V : <8, 6>
  %m = xf.unit_rms %x epsilon <"0"> : <n, 8>
  %z = xf.multiply %m[n, k], %g[k] -> [n, k] : <n, 8>, <8>
  %a = xf.contract %z[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  %b = xf.contract %z[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 6>
  %y = xf.multiply %a[n, c], %b[n, c] -> [n, c] : <n, 6>, <n, 6>
  xf.return %y : !xf.real<n, 6>
}
xf.entry @encoder(%x: !xf.real<n, 8>) -> !xf.real<n, 6> {
  %g = xf.weight @g : <8>
  %W = xf.weight @W : <8, 6>
  %m = xf.unit_rms %x epsilon <"0"> : <n, 8>
  %z = xf.multiply %m[n, k], %g[k] -> [n, k] : <n, 8>, <8>
  %a = xf.contract %z[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 6>
  xf.return %a : !xf.real<n, 6>
}

// -----

// Q, K and V each compute the same norm; four products would as well, but read it from
// memory. Rounded rows, and rows computed by other operations, stay in memory.
// CHECK-LABEL: xf.entry @readers
// CHECK: %[[Q:.*]] = xf.launch @unit_rms_contract(%arg0, %{{.*}})
// CHECK: %[[K:.*]] = xf.launch @unit_rms_contract(%arg0, %{{.*}})
// CHECK: %[[V:.*]] = xf.launch @unit_rms_contract(%arg0, %{{.*}})
// CHECK: %[[N:.*]] = xf.launch @unit(%arg1)
// CHECK: xf.launch @contract(%[[N]]
// CHECK: xf.launch @contract(%[[N]]
// CHECK: xf.launch @contract(%[[N]]
// CHECK: xf.launch @contract(%[[N]]
// CHECK: xf.launch @unit_rms_round(%arg0)
// CHECK: xf.launch @gelu_unit_rms(%arg0)
xf.stored @W : !xf.real<8, 8> from "W" as <([8:8], [8:1])>
xf.entry @readers(%x: !xf.real<n, 8>, %y: !xf.real<n, 8>)
    -> (!xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>,
        !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>)
    attributes {stage = #xf.stage<step>, stage_of = @whole} {
  %W = xf.weight @W : <8, 8>
  %m = xf.unit_rms %x epsilon <"0"> : <n, 8>
  %q = xf.contract %m[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %k = xf.contract %m[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %v = xf.contract %m[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %s = xf.unit %y : <n, 8>
  %a = xf.contract %s[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %b = xf.contract %s[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %c = xf.contract %s[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %d = xf.contract %s[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %r = xf.unit_rms %x epsilon <"1"> : <n, 8>
  %t = xf.round %r to bf16 : <n, 8>
  %e = xf.contract %t[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  %f = xf.gelu %x : <n, 8>
  %h = xf.unit_rms %f epsilon <"0"> : <n, 8>
  %i = xf.contract %h[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>
  xf.return %q, %k, %v, %a, %b, %c, %d, %e, %i
      : !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>,
        !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>, !xf.real<n, 8>
}
xf.entry @whole(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  xf.return %x : !xf.real<n, 8>
}
