// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=x86-64' -xf-assign-schedules='target=x86-64' --mlir-print-local-scope | FileCheck %s
// RUN: %transfold-opt %s -xf-choose-storage='target=opencl' -xf-assign-schedules='target=opencl' --mlir-print-local-scope | FileCheck %s --check-prefix=GPU
// Kernels that decode steps launch have another form for few rows, which a launch
// chooses at run time.

// On a device, products, whose sums are in parts, are tested in few-rows-gpu.mlir.

// Attention in parts of keys, with 3 query heads that share keys; the bounds
// are those of the mask. Both forms sum in the same parts.
// CHECK-LABEL: xf.kernel @shared(
// CHECK-SAME: few = @shared_few, few_rows = 4 : i64
// CHECK-SAME: schedule = {across = 8 : i64, {{.*}}, part = 128 : i64, {{.*}}, strip = 16 : i64
// CHECK-LABEL: xf.kernel @shared_avx2(
// CHECK-NOT: few
// CHECK-LABEL: xf.kernel @shared_few(
// CHECK-SAME: schedule = {across = 8 : i64, keys = 32 : i64, keys_from = affine_map<(d0, d1) -> (d0 - 99)>, keys_to = affine_map<(d0, d1) -> (d1 + 1)>, part = 128 : i64, shared = 3 : i64, vector = 16 : i64}
// CHECK-SAME: variant = "avx512"
// CHECK-LABEL: xf.kernel @shared_few_avx2(
// CHECK-SAME: schedule = {across = 8 : i64, keys = 16 : i64, {{.*}}, part = 128 : i64, shared = 3 : i64, vector = 8 : i64}
// CHECK-SAME: variant = "avx2", variant_of = @shared_few
// On a device, parts of 64 keys are GPU blocks for 3 heads: with up to 5 rows,
// 16 together at most, or with one row.
// GPU-LABEL: xf.kernel @shared(
// GPU-SAME: few = @shared_several, few_rows = 16 : i64
// GPU-SAME: schedule = {across = 16 : i64, {{.*}}, strip = 32 : i64}
// GPU-LABEL: xf.kernel @shared_several(
// GPU-SAME: few = @shared_few, few_rows = 1 : i64
// GPU-SAME: schedule = {keys = 64 : i64, keys_from = affine_map<(d0, d1) -> (d0 - 99)>, keys_to = affine_map<(d0, d1) -> (d1 + 1)>, rows = 5 : i64, shared = 3 : i64, step = 32 : i64}
// GPU-LABEL: xf.kernel @shared_few(
// GPU-NOT: few
// GPU-SAME: rows = 1 : i64, shared = 3 : i64, step = 32 : i64}
xf.kernel @shared(%q: !xf.real<6, n, 32>, %k: !xf.real<2, m, 32>, %v: !xf.real<2, m, 32>,
                  %first: !xf.integer<>) -> !xf.real<6, n, 32> attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.repeat %k axis 0 times 3 : <2, m, 32>
  %1 = xf.repeat %v axis 0 times 3 : <2, m, 32>
  %2 = xf.contract %q[i, n, c], %0[i, m, c] -> [i, n, m] : <6, n, 32>, <6, m, 32>
  %3 = xf.softmax %2 from %first where [j <= i, i - j <= 99] : <6, n, m>
  %4 = xf.contract %3[i, n, m], %1[i, m, c] -> [i, n, c] : <6, n, m>, <6, m, 32>
  xf.return %4 : !xf.real<6, n, 32>
}

// No keys are shared.
// CHECK-LABEL: xf.kernel @own_few(
// CHECK-SAME: schedule = {across = 8 : i64, keys = 32 : i64, part = 128 : i64, shared = 1 : i64, vector = 16 : i64}
// GPU-LABEL: xf.kernel @own_several(
// GPU-SAME: rows = 16 : i64, shared = 1 : i64
xf.kernel @own(%q: !xf.real<6, n, 32>, %k: !xf.real<6, m, 32>) -> !xf.real<6, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <6, n, 32>, <6, m, 32>
  %1 = xf.softmax %0 : <6, n, m>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <6, n, m>, <6, m, 32>
  xf.return %2 : !xf.real<6, n, 32>
}

// Some of 12 heads that share keys: the unrolled code stays small.
// CHECK-LABEL: xf.kernel @one_few(
// CHECK-SAME: shared = 6 : i64
// GPU-LABEL: xf.kernel @one_few(
// GPU-SAME: rows = 1 : i64, shared = 12 : i64
xf.kernel @one(%q: !xf.real<12, n, 32>, %k: !xf.real<1, m, 32>) -> !xf.real<12, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.repeat %k axis 0 times 12 : <1, m, 32>
  %1 = xf.contract %q[i, n, c], %0[i, m, c] -> [i, n, m] : <12, n, 32>, <12, m, 32>
  %2 = xf.softmax %1 : <12, n, m>
  %3 = xf.contract %2[i, n, m], %0[i, m, c] -> [i, n, c] : <12, n, m>, <12, m, 32>
  xf.return %3 : !xf.real<12, n, 32>
}

// A constant number of keys is not a cache.
// CHECK-LABEL: xf.kernel @number(
// CHECK-NOT: few
// CHECK-LABEL: xf.kernel @number_avx2(
// GPU-LABEL: xf.kernel @number(
// GPU-NOT: few
// GPU-LABEL: xf.kernel @whole(
// GPU-NOT: few
// GPU-LABEL: xf.kernel @product(
xf.kernel @number(%q: !xf.real<6, n, 32>, %k: !xf.real<6, 50, 32>) -> !xf.real<6, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <6, n, 32>, <6, 50, 32>
  %1 = xf.softmax %0 : <6, n, 50>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <6, n, 50>, <6, 50, 32>
  xf.return %2 : !xf.real<6, n, 32>
}

// Launched for whole sequences only: with the same sums as kernels for steps.
// CHECK-LABEL: xf.kernel @whole(
// CHECK-NOT: few
// CHECK-SAME: schedule = {across = 8 : i64, {{.*}}, part = 128 : i64
// CHECK-LABEL: xf.kernel @whole_avx2(
xf.kernel @whole(%q: !xf.real<6, n, 32>) -> !xf.real<6, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %q[i, m, c] -> [i, n, m] : <6, n, 32>, <6, n, 32>
  %1 = xf.softmax %0 where [j <= i] : <6, n, n>
  %2 = xf.contract %1[i, n, m], %q[i, m, c] -> [i, n, c] : <6, n, n>, <6, n, 32>
  xf.return %2 : !xf.real<6, n, 32>
}

// A product: several rows in tiles, and one or two rows separately. Both are one loop.
// CHECK-LABEL: xf.kernel @product(
// CHECK-SAME: few = @product_several, few_rows = 16 : i64
// CHECK-LABEL: xf.kernel @product_several(
// CHECK-SAME: few = @product_few, few_rows = 2 : i64, one_loop
// CHECK-SAME: block = 16 : i64, columns = 32 : i64, depth = 64 : i64, rows = 4 : i64
// CHECK-LABEL: xf.kernel @product_several_avx2(
// CHECK-NOT: few
// CHECK-SAME: columns = 16 : i64
// CHECK-LABEL: xf.kernel @product_few(
// CHECK-SAME: one_loop
// CHECK-SAME: block = 2 : i64, columns = 32 : i64, depth = 64 : i64, rows = 1 : i64
xf.kernel @product(%x: !xf.real<n, 64>, %W: !xf.real<64, 128>) -> !xf.real<n, 128>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 64>, <64, 128>
  xf.return %0 : !xf.real<n, 128>
}

xf.entry @main(%q: !xf.real<6, n, 32>) -> !xf.real<6, n, 32> {
  %0 = xf.launch @whole(%q) : (!xf.real<6, n, 32>) -> !xf.real<6, n, 32>
  xf.return %0 : !xf.real<6, n, 32>
}
xf.entry @main.step(%q: !xf.real<6, n, 32>, %p: !xf.real<12, n, 32>, %k: !xf.real<2, m, 32>,
                    %l: !xf.real<6, m, 32>, %o: !xf.real<1, m, 32>, %s: !xf.real<6, 50, 32>,
                    %x: !xf.real<n, 64>, %W: !xf.real<64, 128>, %first: !xf.integer<>)
    -> !xf.real<n, 128> attributes {stage = #xf.stage<step>, stage_of = @main} {
  %0 = xf.launch @shared(%q, %k, %k, %first) : (!xf.real<6, n, 32>, !xf.real<2, m, 32>, !xf.real<2, m, 32>, !xf.integer<>) -> !xf.real<6, n, 32>
  %1 = xf.launch @own(%0, %l) : (!xf.real<6, n, 32>, !xf.real<6, m, 32>) -> !xf.real<6, n, 32>
  %2 = xf.launch @one(%p, %o) : (!xf.real<12, n, 32>, !xf.real<1, m, 32>) -> !xf.real<12, n, 32>
  %3 = xf.launch @number(%1, %s) : (!xf.real<6, n, 32>, !xf.real<6, 50, 32>) -> !xf.real<6, n, 32>
  %4 = xf.launch @product(%x, %W) : (!xf.real<n, 64>, !xf.real<64, 128>) -> !xf.real<n, 128>
  xf.return %4 : !xf.real<n, 128>
}
