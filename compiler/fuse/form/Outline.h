// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlines a region of operations as a kernel.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/SetVector.h>

namespace transfold::fuse {

/// A region of operations that becomes a kernel.
struct KernelRegion {
  // What the kernel is built around; it determines the schedule.
  xf::Anchor anchor;
  llvm::SetVector<mlir::Operation *> ops;
  mlir::Operation *root = nullptr; // its result is the region's
};

/// Whether each kernel that reads the result of `op` recomputes it: constants,
/// and scalars computed from lengths.
bool isConstant(mlir::Operation *op);

/// Creates a kernel for the region, not yet in the module, and returns its
/// operands.
xf::KernelOp outline(KernelRegion &region,
                     llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace transfold::fuse
