// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_WEIGHTS_SHAREPLACES_H
#define TRANSFOLD_COMPILER_WEIGHTS_SHAREPLACES_H

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/BuiltinOps.h>

namespace transfold::weights {

/// Puts the weights of modules that -xf-place-weights treated each by itself
/// into one file. The first module keeps its places; what another one reads in
/// the same form lies there already, and what it does not comes behind.
void sharePlaces(llvm::ArrayRef<mlir::ModuleOp> modules);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_SHAREPLACES_H
