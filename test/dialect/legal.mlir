// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module may contain after each stage; docs/architecture.md shows the whole table.
// RUN: %transfold-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(xf-verify-stage{after=kernels})'
// RUN: %transfold-opt --legal=staged | FileCheck %s --check-prefix=STAGED
// RUN: %transfold-opt --legal=xf | FileCheck %s --check-prefix=XF
// RUN: not %transfold-opt --legal=kernel 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %transfold-opt %S/Inputs/empty.mlir --pass-pipeline='builtin.module(xf-verify-stage{after=exe})' 2>&1 | FileCheck %s --check-prefix=PASS

// STAGED: | entries | arithmetic | the equations; later all arithmetic is in kernels |
// STAGED: | entries | `cache_read`, `cache_write` | decode steps |
// STAGED-NOT: launch
// XF: | entries | arithmetic |
// XF-NOT: cache
// UNKNOWN: transfold-opt: there is no stage 'kernel'; expected one of xf, folded, staged, kernels, host
// PASS: error: xf-verify-stage: there is no stage 'exe'; expected one of xf, folded, staged, kernels, host

xf.entry @arithmetic(%x: !xf.real<n, 8>) -> !xf.real<n, 8> {
  // expected-error @+1 {{may not be in entries after 'kernels'}}
  %0 = xf.relu %x : <n, 8>
  xf.return %0 : !xf.real<n, 8>
}

// -----

// A rearrangement that moves data is a kernel; one that only regroups axes is not.
xf.entry @views(%x: !xf.real<n, 8>) -> !xf.real<n, 4, 2> {
  %0 = xf.rearrange %x[n, (a b)] -> [n, a, b] : <n, 8> -> <n, 2, 4>
  // expected-error @+1 {{may not be in entries after 'kernels'}}
  %1 = xf.rearrange %0[n, a, b] -> [n, b, a] : <n, 2, 4> -> <n, 4, 2>
  xf.return %1 : !xf.real<n, 4, 2>
}
