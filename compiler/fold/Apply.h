// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a solution to the module: scales and divisions that it makes
// superfluous go, and the weights and numbers that absorb a factor get it.

#ifndef TRANSFOLD_COMPILER_FOLD_APPLY_H
#define TRANSFOLD_COMPILER_FOLD_APPLY_H

#include "compiler/fold/Solve.h"

namespace transfold::fold {

/// Stored tensors get their factors, kernels their numbers; multiplications by
/// 1 are gone, and others stand where the solution has them.
void apply(mlir::ModuleOp module, const Problem &problem,
           const Solution &solution, const llvm::StringSet<> &keep = {});

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_APPLY_H
