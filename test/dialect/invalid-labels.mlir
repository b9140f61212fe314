// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file
// Errors of labels name the label and the sizes.

xf.entry @f(%x: !xf.real<n, 8>, %y: !xf.real<9>) {
  // expected-error @+1 {{label 'c' is 8 on one operand and 9 on the other}}
  %0 = xf.add %x[n, c], %y[c] -> [n, c] : <n, 8>, <9>
  xf.return
}

// -----

// A length is neither a constant nor equal to another length.
xf.entry @f(%x: !xf.real<n, 8>, %y: !xf.real<m>) {
  // expected-error @+1 {{label 'n' is n on one operand and m on the other}}
  %0 = xf.contract %x[n, c], %y[n] -> [c] : <n, 8>, <m>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{label 'c' occurs twice on one operand}}
  %0 = xf.contract %x[c, c], %x[c, d] -> [d] : <8, 8>, <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{label 'c' occurs twice on the result}}
  %0 = xf.add %x[c, d], %x[c, d] -> [c, d, c] : <8, 8>, <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{label 'e' of the result is on no operand}}
  %0 = xf.multiply %x[c, d], %x[c, d] -> [c, d, e] : <8, 8>, <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{an operand with 2 axes has 1 labels}}
  %0 = xf.subtract %x[c], %x[c, d] -> [c, d] : <8, 8>, <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>) {
  // expected-error @+1 {{the result lacks label 'd'; only a contraction sums over one}}
  %0 = xf.divide %x[c, d], %x[c, d] -> [c] : <8, 8>, <8, 8>
  xf.return
}

// -----

// The same for each of the four operations.
xf.entry @f(%x: !xf.real<8, 8>, %y: !xf.real<8>) {
  // expected-error @+1 {{the result lacks label 'd'}}
  %0 = xf.add %x[c, d], %y[c] -> [c] : <8, 8>, <8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>, %y: !xf.real<8>) {
  // expected-error @+1 {{the result lacks label 'd'}}
  %0 = xf.subtract %y[c], %x[c, d] -> [c] : <8>, <8, 8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8, 8>, %y: !xf.real<8>) {
  // expected-error @+1 {{the result lacks label 'd'}}
  %0 = xf.multiply %x[d, c], %y[c] -> [c] : <8, 8>, <8>
  xf.return
}

// -----

// A sum over one operand alone is xf.sum.
xf.entry @f(%x: !xf.real<8, 8>, %y: !xf.real<8>) {
  // expected-error @+1 {{label 'd' is on one operand only and not on the result}}
  %0 = xf.contract %x[c, d], %y[c] -> [c] : <8, 8>, <8>
  xf.return
}

// -----

xf.entry @f(%x: !xf.real<8>, %y: !xf.real<8, 4>) {
  // expected-error @+1 {{label 'd' is on one operand only and not on the result}}
  %0 = xf.contract %x[c], %y[c, d] -> [c] : <8>, <8, 4>
  xf.return
}

// -----

// A type that does not follow from the operands.
xf.entry @f(%x: !xf.real<8>) {
  // expected-error @+2 {{'xf.add' op inferred type(s) '!xf.real<8>' are incompatible with return type(s) of operation '!xf.real<9>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "xf.add"(%x, %x) <{lhs_labels = ["c"], rhs_labels = ["c"], labels = ["c"]}> : (!xf.real<8>, !xf.real<8>) -> !xf.real<9>
  xf.return
}

// -----

// Integers are not operands of equations.
// expected-note @+1 {{prior use here}}
xf.entry @f(%x: !xf.integer<8>) {
  // expected-error @+1 {{use of value '%x' expects different type than prior uses: '!xf.real<8>' vs '!xf.integer<8>'}}
  %0 = xf.add %x[c], %x[c] -> [c] : <8>, <8>
  xf.return
}
