// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-choose-storage='target=cuda' -xf-assign-schedules='target=cuda' | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %transfold-opt %s -xf-choose-storage='target=opencl' -xf-assign-schedules='target=opencl' | FileCheck %s --check-prefixes=CHECK,OPENCL
// A GPU is another value of an attribute: the same kernels, with blocks of threads.

// 16 × 8 threads, each with 8 columns of 8 rows, 16 k at a time; weights in the same
// panels.
// CHECK-LABEL: xf.kernel @matrix
// CHECK-SAME: xf.storage = #xf.storage<f32, <32>>
// CHECK-SAME: schedule = {across = 16 : i64, columns = 8 : i64, depth = 64 : i64, down = 8 : i64, rows = 8 : i64, step = 16 : i64}
// CUDA-SAME: target = "x86-64-linux-cuda-cuda_capability_70", variant = "cuda"
// OPENCL-SAME: target = "x86-64-linux-cl_doubles-opencl", variant = "opencl"
xf.kernel @matrix(%x: !xf.real<n, 384>, %W: !xf.real<384, 1536>) -> !xf.real<n, 1536>
    attributes {anchor = #xf.anchor<contraction>} {
  %0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 384>, <384, 1536>
  xf.return %0 : !xf.real<n, 1536>
}

// Strips of 32 queries, of 16 where a head is wide; parts of 64 keys.
// CHECK-LABEL: xf.kernel @attention
// CHECK-SAME: schedule = {across = 16 : i64, down = 8 : i64, keys = 64 : i64, step = 16 : i64, strip = 32 : i64}
xf.kernel @attention(%q: !xf.real<12, n, 32>, %k: !xf.real<12, n, 32>, %v: !xf.real<12, n, 32>) -> !xf.real<12, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <12, n, 32>, <12, n, 32>
  %1 = xf.softmax %0 : <12, n, n>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <12, n, n>, <12, n, 32>
  xf.return %2 : !xf.real<12, n, 32>
}
// CHECK-LABEL: xf.kernel @wide_attention
// CHECK-SAME: schedule = {across = 16 : i64, down = 8 : i64, keys = 64 : i64, step = 16 : i64, strip = 16 : i64}
xf.kernel @wide_attention(%q: !xf.real<12, n, 160>, %k: !xf.real<12, n, 160>, %v: !xf.real<12, n, 160>) -> !xf.real<12, n, 160>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <12, n, 160>, <12, n, 160>
  %1 = xf.softmax %0 : <12, n, n>
  %2 = xf.contract %1[i, n, m], %v[i, m, c] -> [i, n, c] : <12, n, n>, <12, n, 160>
  xf.return %2 : !xf.real<12, n, 160>
}

// Strips go through the keys that the mask lets them see.
// CHECK-LABEL: xf.kernel @causal
// CHECK-SAME: schedule = {across = 16 : i64, down = 8 : i64, keys = 64 : i64, keys_to = #map{{[0-9]*}}, step = 16 : i64, strip = 32 : i64}
xf.kernel @causal(%q: !xf.real<12, n, 32>, %k: !xf.real<12, n, 32>) -> !xf.real<12, n, 32>
    attributes {anchor = #xf.anchor<attention>} {
  %0 = xf.contract %q[i, n, c], %k[i, m, c] -> [i, n, m] : <12, n, 32>, <12, n, 32>
  %1 = xf.softmax %0 where [j <= i] : <12, n, n>
  %2 = xf.contract %1[i, n, m], %k[i, m, c] -> [i, n, c] : <12, n, n>, <12, n, 32>
  xf.return %2 : !xf.real<12, n, 32>
}

// One thread per lane of a row.
// CHECK-LABEL: xf.kernel @rows
// CHECK-SAME: schedule = {lanes = 128 : i64}
xf.kernel @rows(%x: !xf.real<n, 384>) -> !xf.real<n, 384> attributes {anchor = #xf.anchor<rows>} {
  %0 = xf.standardize %x epsilon <"1/1000000"> : <n, 384>
  xf.return %0 : !xf.real<n, 384>
}

// CHECK-LABEL: xf.kernel @pool
// CHECK-SAME: schedule = {lanes = 64 : i64}
xf.kernel @pool(%x: !xf.real<n, 384>) -> !xf.real<384> attributes {anchor = #xf.anchor<reduction>} {
  %0 = xf.mean %x over 0 : <n, 384>
  xf.return %0 : !xf.real<384>
}

xf.entry @main(%x: !xf.real<n, 384>) -> !xf.real<n, 1536> {
  %W = xf.weight @W : <384, 1536>
  %y = xf.launch @matrix(%x, %W) : (!xf.real<n, 384>, !xf.real<384, 1536>) -> !xf.real<n, 1536>
  xf.return %y : !xf.real<n, 1536>
}
xf.stored @W : !xf.real<384, 1536> from "w" as <([384:1536], [1536:1])>
