// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values reach the kernels that read them: what a kernel stores, and what
// each reader makes for itself.

#ifndef TRANSFOLD_COMPILER_FUSE_VALUESOFKERNELS_H
#define TRANSFOLD_COMPILER_FUSE_VALUESOFKERNELS_H

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::fuse {

/// Which anchor an operation is by itself. An attention is three operations:
/// formAttention, before all others.
std::optional<xf::Anchor> anchorOf(mlir::Operation *op);

/// Whether something that is no kernel reads the result of `op`, which then is
/// in memory.
bool isStored(mlir::Operation &op);

/// Whether what a rounding reads is computed, for it alone: then the kernel
/// that does so rounds what it writes, and others read fewer bytes.
bool isOfEpilogue(mlir::Operation *round);

/// Whether numbers are rounded for products alone, by the kernels that make
/// these.
bool isRoundedByReaders(mlir::Operation *op);

/// Whether rows are brought together for products alone, which read them where
/// they lie.
bool isTakenByReaders(mlir::Operation *op);

/// A weight that is a result is copied there: only kernels read weights.
void copyWeights(mlir::Block &block);

/// A copy before each use of what is not stored, and one of each constant that
/// is: kernels that read it still make it themselves.
void copyToUses(mlir::Block &block);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_VALUESOFKERNELS_H
