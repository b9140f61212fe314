// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region of operations as a kernel.

#ifndef TRANSFOLD_COMPILER_FUSE_OUTLINE_H
#define TRANSFOLD_COMPILER_FUSE_OUTLINE_H

#include "dialect/Dialect.h"

#include <llvm/ADT/SetVector.h>

namespace transfold::fuse {

struct KernelRegion {
  xf::Anchor anchor;
  llvm::SetVector<mlir::Operation *> ops;
  mlir::Operation *root = nullptr; // its result is the region's
};

/// What each kernel that reads it computes for itself: constants, and numbers
/// that are made of lengths.
bool isConstant(mlir::Operation *op);

/// A kernel for the region, not yet in the module, and the values it takes.
xf::KernelOp outline(KernelRegion &region,
                     llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_OUTLINE_H
