// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a kernel rounds. The same number may be made by several loops: in a
// tile or behind the last whole one, row by row in a kernel of few rows, by a
// vector or alone. Left to themselves, Halide and LLVM add in the order that
// suits each of these loops, and join a product and a sum to one instruction,
// which rounds once and not twice, where it pays. So all of that is decided in
// the definitions, which have no loops yet: every loop computes the same bits.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ROUNDINGS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ROUNDINGS_H

#include "compiler/kernels/algorithm/Algorithm.h"

namespace transfold::kernels {

/// Whether the roundings of kernels for `target` are fixed: where products are
/// fused in the code that LLVM makes (FusedProducts.h).
bool hasFixedRoundings(const Halide::Target &target);

/// Each operation of the definitions rounds as it stands there; a · b + c is
/// one that rounds once. Call it before there is a schedule, or after.
void fixRoundings(const Algorithm &algorithm);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ROUNDINGS_H
