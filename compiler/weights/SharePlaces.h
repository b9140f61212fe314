// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file of weights for several modules.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <mlir/IR/BuiltinOps.h>

namespace transfold::weights {

/// Merges the weights of modules that -xf-place-weights placed separately into
/// one file. The first module keeps its places; a weight of another module gets
/// the place of an equal weight if there is one, otherwise a place after the
/// end.
void sharePlaces(llvm::ArrayRef<mlir::ModuleOp> modules);

} // namespace transfold::weights
