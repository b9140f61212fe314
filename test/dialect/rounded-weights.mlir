// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %transfold-opt %s -verify-diagnostics -split-input-file | %transfold-opt -split-input-file | FileCheck %s
// Weights that are rounded at compile time.

// CHECK: xf.stored @W[l = 2] : !xf.real<64, 32> from "w.{l}" as <([64:1], [32:64])> times [<"1/3">] rounded q4_1
xf.stored @W[l = 2] : !xf.real<64, 32> from "w.{l}" as <([64:1], [32:64])> times [<"1/3">] rounded q4_1

// -----

// expected-error @+1 {{cannot be rounded to q6_k}}
xf.stored @W : !xf.real<256, 32> from "w" as <([256:1], [32:256])> rounded q6_k

// -----

// expected-error @+1 {{is rounded, but is not read from one tensor}}
xf.stored @W : !xf.real<> as <()> times [<"1/72">] rounded bf16

// -----

// expected-error @+1 {{is rounded, but is not read from one tensor}}
xf.stored @W : !xf.real<8, 64, 112> from "experts.{i}" each <["i"], [8], 7168> as <([8:7168], [64:1], [112:64])> rounded q8_0
