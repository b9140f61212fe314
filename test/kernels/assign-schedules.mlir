// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41' -xf-assign-schedules='target=x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41' --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64-linux-avx-avx2-f16c-fma-sse41' -xf-assign-schedules='target=x86-64-linux-avx-avx2-f16c-fma-sse41' --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64' -xf-assign-schedules='target=x86-64' --mlir-print-local-scope | FileCheck %s --check-prefix=BOTH
// RUN: not %transfold-opt %s -xf-choose-storage='target=pdp-11' -xf-assign-schedules='target=pdp-11' 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: 'pdp-11' is not a target

// The variants that a program tries, the most capable first; one that no kernel
// uses is omitted.
// BOTH: module attributes {xf.variants = ["avx512", "avx2"]}

// A tile of 8 × 32 with 32 registers of 16 elements, 6 × 16 with 16 of 8; the
// weights are the same for both: panels of 32 columns.
// CHECK-LABEL: xf.kernel @matrix
// WIDE-SAME: xf.storage = #xf.storage<f32, <32>>
// WIDE-SAME: schedule = {block = 128 : i64, columns = 32 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 8 : i64, unroll = 4 : i64, vector = 16 : i64}
// WIDE-SAME: target = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41"
// NARROW-SAME: xf.storage = #xf.storage<f32, <32>>
// NARROW-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 4 : i64, vector = 8 : i64}
// Two machines: the kernel that launches name, and another one that replaces it.
// BOTH-LABEL: xf.kernel @matrix(
// BOTH-SAME: xf.storage = #xf.storage<f32, <32>>
// BOTH-SAME: columns = 32 : i64
// BOTH-SAME: variant = "avx512"}
// BOTH-LABEL: xf.kernel @matrix_avx2(
// BOTH-SAME: xf.storage = #xf.storage<f32, <32>>
// BOTH-SAME: columns = 16 : i64
// BOTH-SAME: variant = "avx2", variant_of = @matrix}
xf.kernel @matrix(%x: !xf.real<n, 384>, %W: !xf.real<384, 1536>) -> !xf.real<n, 1536>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 1536>
  xf.return %0 : !xf.real<n, 1536>
}

// A deep product has blocks of fewer rows: they share the cache with a panel.
// CHECK-LABEL: xf.kernel @deep
// WIDE-SAME: schedule = {block = 80 : i64
// NARROW-SAME: schedule = {block = 84 : i64
xf.kernel @deep(%x: !xf.real<n, 1536>, %W: !xf.real<1536, 384>) -> !xf.real<n, 384>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 1536>, !xf.real<1536, 384>
  xf.return %0 : !xf.real<n, 384>
}

// One row: four panels at a time.
// CHECK-LABEL: xf.kernel @row
// WIDE-SAME: schedule = {columns = 128 : i64, depth = 192 : i64, unroll = 1 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {columns = 64 : i64, depth = 192 : i64, unroll = 1 : i64, vector = 8 : i64}
xf.kernel @row(%x: !xf.real<384>, %W: !xf.real<384, 384>) -> !xf.real<384>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<384>, !xf.real<384, 384>
  xf.return %0 : !xf.real<384>
}

// A computed matrix is not packed: only weights can be stored in another layout.
// CHECK-LABEL: xf.kernel @computed
// CHECK-NOT: xf.storage
// CHECK-SAME: schedule
xf.kernel @computed(%x: !xf.real<n, 384>, %W: !xf.real<384, 384>) -> !xf.real<n, 384>
    attributes {anchor = #xf.anchor<contraction>} {
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
    -> !xf.real<12, n, 32> attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : !xf.real<12, n, 32>, !xf.real<12, m, 32>
  %1 = xf.softmax %0 : !xf.real<12, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : !xf.real<12, n, m>, !xf.real<12, m, 32>
  xf.return %2 : !xf.real<12, n, 32>
}

// Bounds of the keys that queries d0 … d1 may see, from the mask.
// BOTH-LABEL: xf.kernel @attention(
// BOTH-NOT: keys_from
// BOTH-NOT: keys_to
// CHECK-LABEL: xf.kernel @causal
// CHECK-NOT: keys_from
// CHECK-SAME: keys_to = affine_map<(d0, d1) -> (d1 + 1)>
// BOTH-LABEL: xf.kernel @causal(
// BOTH-SAME: keys_to = affine_map<(d0, d1) -> (d1 + 1)>
// BOTH-LABEL: xf.kernel @causal_avx2(
// BOTH-SAME: keys_to = affine_map<(d0, d1) -> (d1 + 1)>
xf.kernel @causal(%q: !xf.real<12, n, 32>, %k: !xf.real<12, m, 32>, %first: !xf.integer<>)
    -> !xf.real<12, n, 32> attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : !xf.real<12, n, 32>, !xf.real<12, m, 32>
  %1 = xf.softmax %0 from %first where [j <= i] : !xf.real<12, n, m>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : !xf.real<12, n, m>, !xf.real<12, m, 32>
  xf.return %2 : !xf.real<12, n, 32>
}

// A window has both; `j >= 0` is not a bound.
// CHECK-LABEL: xf.kernel @window
// CHECK-SAME: keys_from = affine_map<(d0, d1) -> (d0 - 20)>, keys_to = affine_map<(d0, d1) -> (d1 + 1)>
xf.kernel @window(%q: !xf.real<2, n, 8>, %k: !xf.real<2, n, 8>) -> !xf.real<2, n, 8>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 8>, <2, n, 8>
  %1 = xf.softmax %0 where [j <= i, i - j <= 20, 0 <= j] : <2, n, n>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 8>
  xf.return %2 : !xf.real<2, n, 8>
}

// The weakest bound over all queries: that of the first, or of the last.
// CHECK-LABEL: xf.kernel @steps
// CHECK-SAME: keys_from = affine_map<(d0, d1) -> ((d0 - 2) ceildiv 2, -d1 + 9)>
// CHECK-SAME: keys_to = affine_map<(d0, d1) -> (d1 floordiv 3 + 3, 101)>
xf.kernel @steps(%q: !xf.real<2, n, 8>, %k: !xf.real<2, n, 8>) -> !xf.real<2, n, 8>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 8>, <2, n, 8>
  %1 = xf.softmax %0 where [i - 2 * j <= 2, 3 * j <= i + 6, 9 <= i + j, j <= 100] : <2, n, n>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 8>
  xf.return %2 : !xf.real<2, n, 8>
}

// An equality is two bounds.
// CHECK-LABEL: xf.kernel @diagonal
// CHECK-SAME: keys_from = affine_map<(d0, d1) -> (d0)>, keys_to = affine_map<(d0, d1) -> (d1 + 1)>
xf.kernel @diagonal(%q: !xf.real<2, n, 8>, %k: !xf.real<2, n, 8>) -> !xf.real<2, n, 8>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 8>, <2, n, 8>
  %1 = xf.softmax %0 where [i == j] : <2, n, n>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 8>
  xf.return %2 : !xf.real<2, n, 8>
}

// A comparison of queries alone does not bound keys.
// CHECK-LABEL: xf.kernel @queries
// CHECK-NOT: keys_from
// CHECK-NOT: keys_to
xf.kernel @queries(%q: !xf.real<2, n, 8>, %k: !xf.real<2, n, 8>) -> !xf.real<2, n, 8>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <2, n, 8>, <2, n, 8>
  %1 = xf.softmax %0 where [i <= 100] : <2, n, n>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <2, n, n>, <2, n, 8>
  xf.return %2 : !xf.real<2, n, 8>
}

// CHECK-LABEL: xf.kernel @rows
// WIDE-SAME: schedule = {block = 16 : i64, lanes = 64 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {block = 16 : i64, lanes = 32 : i64, vector = 8 : i64}
xf.kernel @rows(%x: !xf.real<n, 384>) -> !xf.real<n, 384> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.standardize %x epsilon <"1/100000"> : !xf.real<n, 384>
  xf.return %0 : !xf.real<n, 384>
}

// CHECK-LABEL: xf.kernel @reduction
// WIDE-SAME: schedule = {columns = 64 : i64, lanes = 64 : i64, rows = 16 : i64, vector = 16 : i64}
// NARROW-SAME: schedule = {columns = 32 : i64, lanes = 32 : i64, rows = 16 : i64, vector = 8 : i64}
xf.kernel @reduction(%x: !xf.real<n, 384>) -> !xf.real<384> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 384>
  xf.return %0 : !xf.real<384>
}

// An existing schedule is kept.
// CHECK-LABEL: xf.kernel @tuned
// CHECK-SAME: schedule = {block = 4 : i64, lanes = 16 : i64, vector = 4 : i64}
xf.kernel @tuned(%x: !xf.real<n, 384>) -> !xf.real<n, 384>
    attributes {anchor = #xf.anchor<rows>, schedule = {block = 4, lanes = 16, vector = 4}} {
  %0 = xf.relu %x : !xf.real<n, 384>
  xf.return %0 : !xf.real<n, 384>
}
