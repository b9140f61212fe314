// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-form-kernels -split-input-file | FileCheck %s
// RUN: %transfold-opt %s -xf-form-kernels='on-device' -split-input-file | FileCheck %s --check-prefix=DEVICE
// A recurrence in lanes is one kernel, with what selects its first states; another has kernels for one position.

// CHECK-LABEL: xf.entry @lanes(
// CHECK-NEXT: %[[Y:.*]]:2 = xf.launch @tabulate_scan(
// CHECK-NEXT: xf.return %[[Y]]#0
// CHECK: xf.kernel @tabulate_scan(
// CHECK-SAME: attributes {anchor = #xf.anchor<scan>}
// CHECK: xf.tabulate
// CHECK: xf.scan
// CHECK: xf.return %{{.*}}, %{{.*}} : !xf.real<4, n, 12>, !xf.real<4, 20, 12>
// DEVICE-LABEL: xf.entry @lanes(
// DEVICE: xf.scan
// DEVICE: xf.launch @
xf.entry @lanes(%Q: !xf.real<4, n, 20>, %K: !xf.real<4, n, 20>, %V: !xf.real<4, n, 12>) -> !xf.real<4, n, 12> {
  %zero = xf.tabulate "[i, a, b] = 0"() : () -> !xf.real<4, 20, 12>
  %y, %last = xf.scan (%q in %Q axis 1, %k in %K axis 1, %v in %V axis 1) from (%s = %zero) : (!xf.real<4, n, 20>, !xf.real<4, n, 20>, !xf.real<4, n, 12>), (!xf.real<4, 20, 12>) -> (!xf.real<4, n, 12> axis 1) {
    %kv = xf.multiply %k[i, a], %v[i, b] -> [i, a, b] : <4, 20>, <4, 12>
    %next = xf.add %s[i, a, b], %kv[i, a, b] -> [i, a, b] : <4, 20, 12>, <4, 20, 12>
    %o = xf.contract %q[i, a], %next[i, a, b] -> [i, b] : <4, 20>, <4, 20, 12>
    xf.yield %o, %next : !xf.real<4, 12>, !xf.real<4, 20, 12>
  }
  xf.return %y : !xf.real<4, n, 12>
}

// -----

// The first states are the same for all layers, and are made before them.
// CHECK-LABEL: xf.entry @layers(
// CHECK-NEXT: xf.layers
// CHECK-NEXT: xf.launch @tabulate_scan(
xf.entry @layers(%X: !xf.real<n, 2>) -> !xf.real<n, 2> {
  %zero = xf.tabulate "[a] = 0"() : () -> !xf.real<2>
  %result = xf.layers %l < 1 (%x = %X) : !xf.real<n, 2> {
    %y, %last = xf.scan (%row in %x axis 0) from (%s = %zero) : (!xf.real<n, 2>), (!xf.real<2>) -> (!xf.real<n, 2> axis 0) {
      %next = xf.add %s[a], %row[a] -> [a] : <2>, <2>
      xf.yield %next, %next : !xf.real<2>, !xf.real<2>
    }
    xf.yield %y : !xf.real<n, 2>
  }
  xf.return %result : !xf.real<n, 2>
}

// -----

// Every entry of a state depends on all entries of the one before.
// CHECK-LABEL: xf.entry @full_matrix(
// CHECK: xf.scan
// CHECK: xf.launch @{{.*}}contract
xf.entry @full_matrix(%X: !xf.real<n, 20>, %A: !xf.real<20, 20>) -> !xf.real<n, 20> {
  %zero = xf.tabulate "[a] = 0"() : () -> !xf.real<20>
  %y, %last = xf.scan (%x in %X axis 0) from (%s = %zero) : (!xf.real<n, 20>), (!xf.real<20>) -> (!xf.real<n, 20> axis 0) {
    %p = xf.contract %s[a], %A[a, b] -> [b] : <20>, <20, 20>
    %next = xf.add %p[b], %x[b] -> [b] : <20>, <20>
    xf.yield %next, %next : !xf.real<20>, !xf.real<20>
  }
  xf.return %y : !xf.real<n, 20>
}
