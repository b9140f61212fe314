// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-assign-schedules='target=x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41' | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: %transfold-opt %s -xf-assign-schedules='target=x86-64-linux-avx-avx2-f16c-fma-sse41' | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: %transfold-opt %s -xf-assign-schedules='target=x86-64' | FileCheck %s --check-prefix=BOTH
// RUN: not %transfold-opt %s -xf-assign-schedules='target=pdp-11' 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: 'pdp-11' is not a target

// Variants that a program tries, the most able first; one that no kernel has
// use for is none.
// BOTH: module attributes {xf.variants = ["avx512", "avx2"]}

// A tile of 8 × 32 with 32 registers of 16 numbers, 6 × 16 with 16 of 8; the
// weights are the same for both: panels of 32 columns.
// CHECK-LABEL: xf.kernel @matrix
// WIDE-SAME: xf.packing = #xf.panels<32>
// WIDE-SAME: schedule = {block = 128 : i64, columns = 32 : i64, depth = 192 : i64, rows = 8 : i64, unroll = 1 : i64, vector = 16 : i64}
// WIDE-SAME: target = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41"
// NARROW-SAME: xf.packing = #xf.panels<32>
// NARROW-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, rows = 6 : i64, unroll = 1 : i64, vector = 8 : i64}
// Two machines: the kernel that launches name, and another that stands for it.
// BOTH-LABEL: xf.kernel @matrix(
// BOTH-SAME: xf.packing = #xf.panels<32>
// BOTH-SAME: columns = 32 : i64
// BOTH-SAME: variant = "avx512"}
// BOTH-LABEL: xf.kernel @matrix_avx2(
// BOTH-SAME: xf.packing = #xf.panels<32>
// BOTH-SAME: columns = 16 : i64
// BOTH-SAME: variant = "avx2", variant_of = @matrix}
xf.kernel @matrix(%x: !xf.real<n, 384>, %W: !xf.real<384, 1536>) -> !xf.real<n, 1536>
    attributes {anchor = "contraction"} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 1536>
  xf.return %0 : !xf.real<n, 1536>
}

// A deep product has blocks of fewer rows: they share the cache with a panel.
// CHECK-LABEL: xf.kernel @deep
// WIDE-SAME: schedule = {block = 80 : i64
// NARROW-SAME: schedule = {block = 84 : i64
xf.kernel @deep(%x: !xf.real<n, 1536>, %W: !xf.real<1536, 384>) -> !xf.real<n, 384>
    attributes {anchor = "contraction"} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 1536>, !xf.real<1536, 384>
  xf.return %0 : !xf.real<n, 384>
}

// One row: four panels at a time.
// CHECK-LABEL: xf.kernel @row
// WIDE-SAME: schedule = {columns = 128 : i64, depth = 192 : i64, unroll = 1 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {columns = 64 : i64, depth = 192 : i64, unroll = 1 : i64, vector = 8 : i64}
xf.kernel @row(%x: !xf.real<384>, %W: !xf.real<384, 384>) -> !xf.real<384>
    attributes {anchor = "contraction"} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<384>, !xf.real<384, 384>
  xf.return %0 : !xf.real<384>
}

// A matrix that is computed is not packed: only weights can be stored anew.
// CHECK-LABEL: xf.kernel @computed
// CHECK-NOT: xf.packing
// CHECK-SAME: schedule
xf.kernel @computed(%x: !xf.real<n, 384>, %W: !xf.real<384, 384>) -> !xf.real<n, 384>
    attributes {anchor = "contraction"} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 384>
  xf.return %0 : !xf.real<n, 384>
}
xf.entry @main(%x: !xf.real<n, 384>, %W: !xf.real<384, 384>) -> !xf.real<n, 384> {
  %0 = xf.launch @computed(%x, %W) : (!xf.real<n, 384>, !xf.real<384, 384>) -> !xf.real<n, 384>
  xf.return %0 : !xf.real<n, 384>
}

// CHECK-LABEL: xf.kernel @attention
// WIDE-SAME: schedule = {channels = 32 : i64, keys = 32 : i64, rows = 8 : i64, strip = 16 : i64, unroll = 1 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {channels = 16 : i64, keys = 16 : i64, rows = 6 : i64, strip = 12 : i64, unroll = 1 : i64, vector = 8 : i64}
xf.kernel @attention(%q: !xf.real<12, n, 32>, %k: !xf.real<12, m, 32>, %v: !xf.real<12, m, 32>)
    -> !xf.real<12, n, 32> attributes {anchor = "attention"} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : !xf.real<12, n, 32>, !xf.real<12, m, 32>
  %1 = xf.softmax %0 : !xf.real<12, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : !xf.real<12, n, m>, !xf.real<12, m, 32>
  xf.return %2 : !xf.real<12, n, 32>
}

// CHECK-LABEL: xf.kernel @rows
// WIDE-SAME: schedule = {block = 16 : i64, lanes = 64 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {block = 16 : i64, lanes = 32 : i64, vector = 8 : i64}
xf.kernel @rows(%x: !xf.real<n, 384>) -> !xf.real<n, 384> attributes {anchor = "rows"} {
  %0 = xf.standardize %x epsilon <"1/100000"> : !xf.real<n, 384>
  xf.return %0 : !xf.real<n, 384>
}

// CHECK-LABEL: xf.kernel @reduction
// WIDE-SAME: schedule = {columns = 64 : i64, lanes = 64 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {columns = 32 : i64, lanes = 32 : i64, vector = 8 : i64}
xf.kernel @reduction(%x: !xf.real<n, 384>) -> !xf.real<384> attributes {anchor = "reduction"} {
  %0 = xf.mean %x over 0 : !xf.real<n, 384>
  xf.return %0 : !xf.real<384>
}

// A schedule that is there stays.
// CHECK-LABEL: xf.kernel @tuned
// CHECK-SAME: schedule = {block = 4 : i64, lanes = 16 : i64, vector = 4 : i64}
xf.kernel @tuned(%x: !xf.real<n, 384>) -> !xf.real<n, 384>
    attributes {anchor = "rows", schedule = {block = 4, lanes = 16, vector = 4}} {
  %0 = xf.relu %x : !xf.real<n, 384>
  xf.return %0 : !xf.real<n, 384>
}
