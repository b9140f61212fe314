// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -split-input-file -verify-diagnostics
// Factors of stored tensors.

// expected-error @+1 {{has 3 members and 2 factors}}
xf.stored @W[l = 3] : !xf.real<6> from "{l}" as <([6:1])> times [<"2">, <"3">]

// -----

// expected-error @+1 {{must not be multiplied by 0}}
xf.stored @W : !xf.real<6> from "W" as <([6:1])> times [<"0">]

// -----

// expected-error @+1 {{has neither a tensor nor factors}}
xf.stored @W : !xf.real<> as <()>

// -----

xf.entry @vector(%x: !xf.real<n, 6>, %b: !xf.real<6>) -> !xf.real<n, 6> {
  // expected-error @+2 {{use of value '%b' expects different type than prior uses}}
  // expected-note @-2 {{prior use here}}
  %y = xf.gelu %x at %b : <n, 6>
  xf.return %y : !xf.real<n, 6>
}
