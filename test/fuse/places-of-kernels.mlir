// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// A launch has the places of all operations of its region, and a kernel, and
// each operation in it, those of all launches that share it.

// CHECK-LABEL: xf.entry @shared
// CHECK: xf.launch @contract_gelu({{.*}} loc(fused["a.xf":1:9, "a.xf":1:3])
// CHECK: xf.launch @contract_gelu({{.*}} loc(fused[callsite("b.xf":2:9 at "a.xf":7:1), callsite("b.xf":2:3 at "a.xf":7:1)])
// CHECK: xf.kernel @contract_gelu
// CHECK: xf.contract {{.*}} loc(fused["a.xf":1:3, callsite("b.xf":2:3 at "a.xf":7:1)])
// CHECK: xf.gelu {{.*}} loc(fused["a.xf":1:9, callsite("b.xf":2:9 at "a.xf":7:1)])
// CHECK: } loc(fused["a.xf":1:9, "a.xf":1:3, callsite("b.xf":2:9 at "a.xf":7:1), callsite("b.xf":2:3 at "a.xf":7:1)])
xf.entry @shared(%x: !xf.real<n, 8>, %V: !xf.real<8, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {
  %a = xf.contract %x[n, k], %V[k, c] -> [n, c] : <n, 8>, <8, 8> loc("a.xf":1:3)
  %b = xf.gelu %a : <n, 8> loc("a.xf":1:9)
  %c = xf.contract %b[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8> loc(callsite("b.xf":2:3 at "a.xf":7:1))
  %d = xf.gelu %c : <n, 8> loc(callsite("b.xf":2:9 at "a.xf":7:1))
  xf.return %d : !xf.real<n, 8>
}
