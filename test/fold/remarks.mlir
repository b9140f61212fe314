// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -xf-fold-gauges=remarks -verify-diagnostics -o /dev/null
// RUN: not %transfold-opt %s -xf-fold-gauges=keep=κ 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %transfold-opt %s "-xf-fold-gauges=keep=1/√d_k" | FileCheck %s --check-prefix=KEPT
// Each constant is a remark at its place in the spec, as in the ledger.

// UNKNOWN: error: the equations have no constant 'κ'; they have 1 / √d_k, μ
// KEPT: xf.scale %{{.*}} by <"1/sqrt(32)"> "1 / √d_k"
// KEPT: xf.folded "1 / √d_k" <"1/sqrt(32)"> to [] readers 0 kept "--no-fold"

// expected-remark @below {{'log2(e)' = log2(e); softmax scale ^1 (1/2 ulp)}}
module {
  xf.entry @f(%S: !xf.real<n, m>, %x: !xf.real<n, 8>) -> (!xf.real<n, m>, !xf.real<n, 8>) {
    // expected-remark @+1 {{'1 / √d_k' = 1/sqrt(32); softmax scale ^1 (1/2 ulp)}}
    %s = xf.scale %S by <"1/sqrt(32)"> "1 / √d_k" : <n, m>
    %p = xf.softmax %s : <n, m>
    // expected-remark @+1 {{'μ' = 12 stays: a result of entry 'f' must keep its value}}
    %y = xf.scale %x by <"12"> "μ" : <n, 8>
    xf.return %p, %y : !xf.real<n, m>, !xf.real<n, 8>
  }
}
