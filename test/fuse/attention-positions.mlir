// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s
// Which computations by position become part of the attention kernel.

// Rotated queries and keys, keys that two query heads share, a mask.
// CHECK-LABEL: xf.entry @rotary
// CHECK-SAME: (%[[Q:.*]]: !xf.real<4, n, 8>, %[[K:.*]]: !xf.real<2, n, 8>, %[[V:.*]]: !xf.real<2, n, 8>, %[[COS:.*]]: !xf.real<n, 4>, %[[SIN:.*]]: !xf.real<n, 4>)
// CHECK-NEXT: xf.launch @rotate_scale_rotate_repeat_contract_softmax_repeat_contract(%[[Q]], %[[COS]], %[[SIN]], %[[K]], %[[V]])
// CHECK-NEXT: xf.return
// CHECK: anchor = #xf.anchor<attention>
xf.entry @rotary(%q: !xf.real<4, n, 8>, %k: !xf.real<2, n, 8>, %v: !xf.real<2, n, 8>, %cos: !xf.real<n, 4>, %sin: !xf.real<n, 4>) -> !xf.real<4, n, 8> {
  %0 = xf.rotate %q by %cos, %sin : <4, n, 8>, <n, 4>
  %Q = xf.scale %0 by <"3/2"> "amplitude" : <4, n, 8>
  %1 = xf.rotate %k by %cos, %sin : <2, n, 8>, <n, 4>
  %K = xf.repeat %1 axis 0 times 2 : <2, n, 8>
  %S = xf.contract %Q[i, n, c], %K[i, m, c] -> [i, n, m] : <4, n, 8>, <4, n, 8>
  %P = xf.softmax %S where [j <= i] : <4, n, n>
  %V = xf.repeat %v axis 0 times 2 : <2, n, 8>
  %y = xf.contract %P[i, n, m], %V[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 8>
  xf.return %y : !xf.real<4, n, 8>
}

// -----

// A rotated key that is also read elsewhere is stored; a factor of a query that
// is not rotated is part of the kernel that computes the query.
// CHECK-LABEL: xf.entry @stored
// CHECK: %[[K:.*]] = xf.launch @rotate(
// CHECK: %[[Q:.*]] = xf.launch @scale(
// CHECK: xf.launch @contract_softmax_contract(%[[Q]], %[[K]])
xf.entry @stored(%q: !xf.real<4, n, 8>, %k: !xf.real<4, n, 8>, %cos: !xf.real<n, 4>) -> !xf.real<4, n, 8> {
  %K = xf.rotate %k by %cos, %cos : <4, n, 8>, <n, 4>
  %Q = xf.scale %q by <"2"> "2" : <4, n, 8>
  %S = xf.contract %Q[i, n, c], %K[i, m, c] -> [i, n, m] : <4, n, 8>, <4, n, 8>
  %P = xf.softmax %S : <4, n, n>
  %y = xf.contract %P[i, n, m], %K[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 8>
  xf.return %y : !xf.real<4, n, 8>
}

// -----

// A bias over pairs of positions is part of each kernel that reads it, and of
// no other.
// CHECK-LABEL: xf.entry @bias
// CHECK-NEXT: %[[Y:.*]] = xf.launch @contract_tabulate_add_softmax_contract(%{{.*}}, %{{.*}})
// CHECK-NEXT: xf.launch @contract_tabulate_add_softmax_contract(%[[Y]], %{{.*}})
// CHECK-NEXT: xf.return
// CHECK: xf.kernel @contract_tabulate_add_softmax_contract
// CHECK: xf.tabulate "[a, i, j] = %0[a] * (j - i)"
xf.entry @bias(%x: !xf.real<4, n, 8>, %slopes: !xf.real<4>) -> !xf.real<4, n, 8> {
  %B = xf.tabulate "[a, i, j] = %0[a] * (j - i)"(%slopes) : (!xf.real<4>) -> !xf.real<4, n, n>
  %S = xf.contract %x[i, n, c], %x[i, m, c] -> [i, n, m] : <4, n, 8>, <4, n, 8>
  %T = xf.add %S[i, n, m], %B[i, n, m] -> [i, n, m] : <4, n, n>, <4, n, n>
  %P = xf.softmax %T where [j <= i] : <4, n, n>
  %y = xf.contract %P[i, n, m], %x[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 8>
  %S2 = xf.contract %y[i, n, c], %y[i, m, c] -> [i, n, m] : <4, n, 8>, <4, n, 8>
  %T2 = xf.add %S2[i, n, m], %B[i, n, m] -> [i, n, m] : <4, n, n>, <4, n, n>
  %P2 = xf.softmax %T2 where [j <= i] : <4, n, n>
  %z = xf.contract %P2[i, n, m], %y[i, m, c] -> [i, n, c] : <4, n, n>, <4, n, 8>
  xf.return %z : !xf.real<4, n, 8>
}

// -----

// A table of positions is computed with the first rows that use it, or once if
// several read it.
// CHECK-LABEL: xf.entry @table
// CHECK: %[[PE:.*]] = xf.launch @tabulate()
// CHECK: xf.launch @tabulate_add_add_unit_add(%{{.*}}, %[[PE]])
xf.entry @table(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %PE = xf.tabulate "[t, c] = sin(t * 2^c)"() : () -> !xf.real<n, 8>
  %other = xf.tabulate "[t, c] = cos(t * 2^c)"() : () -> !xf.real<n, 8>
  %0 = xf.add %x[n, c], %other[n, c] -> [n, c] : <n, 8>, <n, 8>
  %1 = xf.add %0[n, c], %PE[n, c] -> [n, c] : <n, 8>, <n, 8>
  %2 = xf.unit %1 : <n, 8>
  %3 = xf.add %2[n, c], %PE[n, c] -> [n, c] : <n, 8>, <n, 8>
  xf.return %3 : !xf.real<n, 8>
}
