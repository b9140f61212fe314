// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a solution to the module: removes scales and divisions that have
// become redundant, and updates the weights and scalars that absorb a factor.

#pragma once

#include "compiler/fold/solve/Solve.h"

namespace transfold::fold {

/// Multiplies stored tensors and kernels' scalars by the factors of `solution`;
/// removes multiplications by 1 and inserts those that the solution leaves.
/// Constants in `keep` stay, as written.
void apply(mlir::ModuleOp module, const Problem &problem,
           const Solution &solution, const llvm::StringSet<> &keep = {});

} // namespace transfold::fold
