// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-derive-steps -split-input-file | FileCheck %s
// A definition by index that reads its own row runs in steps: its rows are
// those of the step, and the index is the position in the sequence.

// CHECK-LABEL: xf.entry @decode.step
// CHECK-SAME: (%{{.*}}: !xf.integer<n>{{.*}}, %[[PLACE:[a-z0-9_]+]]: !xf.real<n>
// CHECK: xf.tabulate "[t, c] = %0[t] * c"(%[[PLACE]]) : (!xf.real<n>) -> !xf.real<n, 4>
xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %place: !xf.real<n>) -> !xf.real<n, 4> {
  %y = xf.tabulate "[t, c] = %0[t] * c"(%place) : (!xf.real<n>) -> !xf.real<n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// An explicit position is counted from the beginning of the sequence.
// CHECK-LABEL: xf.entry @decode.step
// CHECK-SAME: (%[[T:[a-z0-9_]+]]: !xf.integer<n>
// CHECK-SAME: %[[FIRST:[a-z0-9_]+]]: !xf.integer<>
// CHECK: xf.tabulate "[t, c] = %0[t] * (t + %1[])"(%[[T]], %[[FIRST]])
xf.entry @decode(%t: !xf.integer<n> {xf.causal}) -> !xf.real<n, 4> {
  %y = xf.tabulate "[t, c] = %0[t] * t"(%t) : (!xf.integer<n>) -> !xf.real<n, 4>
  xf.return %y : !xf.real<n, 4>
}

// -----

// For keys it reads all cached ones, by their positions.
// CHECK: xf.cache @decode.0 : !xf.real<n, 8>
// CHECK-LABEL: xf.entry @decode.step
// CHECK: xf.cache_write %{{.*}} in @decode.0
// CHECK: %[[ALL:.*]] = xf.cache_read @decode.0 : <n.seen, 8>
// CHECK: xf.tabulate "[i, j] = %0[i, 0] - %1[j, 1] + (i + %2[])"(%{{.*}}, %[[ALL]], %{{.*}}) : (!xf.real<n, 8>, !xf.real<n.seen, 8>, !xf.integer<>) -> !xf.real<n, n.seen>
xf.entry @decode(%t: !xf.integer<n> {xf.causal}, %q: !xf.real<n, 8>) -> !xf.real<n, 8> {
  %b = xf.tabulate "[i, j] = %0[i, 0] - %0[j, 1] + i"(%q) : (!xf.real<n, 8>) -> !xf.real<n, n>
  %w = xf.softmax %b where [j <= i] : <n, n>
  %y = xf.contract %w[r, k], %q[k, c] -> [r, c] : <n, n>, <n, 8>
  xf.return %y : !xf.real<n, 8>
}
