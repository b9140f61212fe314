// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel rounds. The same value may be computed by several loops: in a
// tile or after the last whole one, row by row in a kernel of few rows, in a
// vector or as a scalar. Left to themselves, Halide and LLVM would add in the
// order that suits each of these loops and fuse a product and a sum to one
// instruction, which rounds once and not twice, wherever it pays. So all of
// that is fixed in the definitions, which have no loops yet: every loop
// computes the same bits.

#pragma once

#include "compiler/kernels/algorithm/Algorithm.h"

namespace transfold::kernels {

/// Whether the roundings of kernels for `target` are fixed: this holds where
/// products are fused in the code that LLVM makes (FusedProducts.h).
bool hasFixedRoundings(const Halide::Target &target);

/// Makes each operation of the definitions round as written, and a · b + c a
/// single operation that rounds once. May be called before or after scheduling.
void fixRoundings(const Algorithm &algorithm);

} // namespace transfold::kernels
