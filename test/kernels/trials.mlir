// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=avx2' -xf-assign-schedules='target=avx2 trials' --mlir-print-local-scope | FileCheck %s
// RUN: not %transfold-opt %s -xf-assign-schedules='target=x86-64 trials' 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not %transfold-opt %s -xf-assign-schedules='target=opencl trials' 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: %transfold-opt %s -xf-assign-schedules='target=avx2' | FileCheck %s --check-prefix=NONE
// Kernels have alternatives that `transfold tune` measures: variants with other
// schedules, limited to those that change no bit of a result.

// SEVERAL: trials are for a single processor, not for 'x86-64'
// GPU: trials are for a single processor, not for 'opencl'
// NONE-NOT: trial
// NONE-NOT: xf.tried

// A program tries them only on request; the default schedule is the last.
// CHECK: module attributes {xf.variants = ["trial8", "trial7", "trial6", "trial5", "trial4", "trial3", "trial2", "trial1", "avx2"]}

// Depth and vector are fixed: they determine the order of the additions.
// CHECK-LABEL: xf.kernel @matrix(
// CHECK-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 4 : i64, vector = 8 : i64}
// CHECK-SAME: variant = "avx2"
// CHECK-SAME: xf.tried = {few_rows = 0 : i64, kernel = "contraction: contract; [n, 384], [384, 1536] f32 -> [n, 1536]", processor = "avx2", signature = "{{[0-9a-f]+}}"}
// CHECK-LABEL: xf.kernel @matrix_trial1(
// CHECK-SAME: schedule = {block = 130 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 5 : i64, unroll = 4 : i64, vector = 8 : i64}
// CHECK-SAME: variant = "trial1", variant_of = @matrix}
// CHECK-LABEL: xf.kernel @matrix_trial2(
// CHECK-SAME: schedule = {block = 128 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 4 : i64, unroll = 4
// CHECK-LABEL: xf.kernel @matrix_trial3(
// CHECK-SAME: schedule = {block = 126 : i64, columns = 32 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 3 : i64, unroll = 4
// CHECK-LABEL: xf.kernel @matrix_trial4(
// CHECK-SAME: schedule = {block = 252 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 4
// CHECK-LABEL: xf.kernel @matrix_trial5(
// CHECK-SAME: schedule = {block = 66 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 4
// CHECK-LABEL: xf.kernel @matrix_trial6(
// CHECK-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 2
// CHECK-LABEL: xf.kernel @matrix_trial7(
// CHECK-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 8 : i64, rows = 6 : i64, unroll = 8
// CHECK-LABEL: xf.kernel @matrix_trial8(
// CHECK-SAME: schedule = {block = 126 : i64, columns = 16 : i64, depth = 192 : i64, overlap = 4 : i64, rows = 6 : i64, unroll = 4
xf.kernel @matrix(%x: !xf.real<n, 384>, %W: !xf.real<384, 1536>) -> !xf.real<n, 1536>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : !xf.real<n, 384>, !xf.real<384, 1536>
  xf.return %0 : !xf.real<n, 1536>
}

// Tiles that do not fit the panels are not tried: 416 columns are 13 panels of
// 32, in tiles of 32 and not of 64 or 128.
// CHECK-LABEL: xf.kernel @row(
// CHECK-SAME: schedule = {columns = 32 : i64
// CHECK-LABEL: xf.kernel @row_trial1(
// CHECK-SAME: schedule = {columns = 16 : i64
// CHECK-LABEL: xf.kernel @row_trial2(
// CHECK-SAME: schedule = {columns = 32 : i64, depth = 192 : i64, unroll = 2
xf.kernel @row(%x: !xf.real<384>, %W: !xf.real<384, 416>) -> !xf.real<416>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[k], %W[k, c] -> [c] : !xf.real<384>, !xf.real<384, 416>
  xf.return %0 : !xf.real<416>
}

// Keys are fixed: a row is reduced in their panels.
// CHECK-LABEL: xf.kernel @attention(
// CHECK-SAME: schedule = {channels = 16 : i64, keys = 16 : i64, rows = 6 : i64, strip = 12 : i64
// CHECK-LABEL: xf.kernel @attention_trial1(
// CHECK-SAME: schedule = {channels = 16 : i64, keys = 16 : i64, rows = 6 : i64, strip = 6 : i64
// CHECK-LABEL: xf.kernel @attention_trial4(
// CHECK-SAME: schedule = {channels = 16 : i64, keys = 16 : i64, rows = 5 : i64, strip = 10 : i64
// CHECK-LABEL: xf.kernel @attention_trial7(
// CHECK-SAME: schedule = {channels = 32 : i64, keys = 16 : i64, rows = 3 : i64, strip = 12 : i64
// CHECK-NOT: @attention_trial8
xf.kernel @attention(%q: !xf.real<12, n, 32>, %k: !xf.real<12, m, 32>, %v: !xf.real<12, m, 32>)
    -> !xf.real<12, n, 32> attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : !xf.real<12, n, 32>, !xf.real<12, m, 32>
  %1 = xf.softmax %0 : !xf.real<12, n, m>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : !xf.real<12, n, m>, !xf.real<12, m, 32>
  xf.return %2 : !xf.real<12, n, 32>
}

// Lanes are fixed.
// CHECK-LABEL: xf.kernel @norm_trial4(
// CHECK-SAME: schedule = {block = 64 : i64, lanes = 32 : i64, vector = 8 : i64}
xf.kernel @norm(%x: !xf.real<n, 384>) -> !xf.real<n, 384> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.standardize %x epsilon <"1e-5"> : <n, 384>
  xf.return %0 : !xf.real<n, 384>
}

// The columns of a task are limited by its registers; rows are those of families.
// CHECK-LABEL: xf.kernel @mean_trial1(
// CHECK-SAME: schedule = {columns = 16 : i64, lanes = 32 : i64, rows = 16 : i64, vector = 8 : i64}
// CHECK-LABEL: xf.kernel @mean_trial2(
// CHECK-SAME: schedule = {columns = 64 : i64, lanes = 32 : i64, rows = 16 : i64, vector = 8 : i64}
xf.kernel @mean(%x: !xf.real<n, 384>) -> !xf.real<384> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : !xf.real<n, 384>
  xf.return %0 : !xf.real<384>
}
