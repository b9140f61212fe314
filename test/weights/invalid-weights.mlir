// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-place-weights -verify-diagnostics
// Only kernels read weights.

xf.stored @b : !xf.real<8> from "b" as <([8:1])>
xf.entry @f() -> !xf.real<8> {
  %b = xf.weight @b : <8>
  // expected-error @+1 {{reads a weight outside a kernel; form kernels first}}
  xf.return %b : !xf.real<8>
}
