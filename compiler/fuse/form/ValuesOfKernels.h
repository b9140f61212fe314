// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values reach the kernels that read them: which values a kernel stores,
// and which each reader recomputes.

#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::fuse {

/// The anchor that an operation is by itself; nullopt if none. An attention
/// consists of three operations and is matched before all others, by
/// formAttention.
std::optional<xf::Anchor> anchorOf(mlir::Operation *op);

/// Whether a processor computes a recurrence in one kernel: for all positions,
/// lane by lane.
bool isOneKernel(xf::ScanOp scan);

/// Whether an operation outside kernels reads the result of `op`, which must
/// therefore be in memory.
bool isStored(mlir::Operation &op);

/// Whether the operand of a rounding is computed for it alone: then the kernel
/// that computes it rounds its result, and its readers read fewer bytes.
bool isOfEpilogue(mlir::Operation *round);

/// Whether a rounding is read by contractions only, whose kernels perform it.
bool isRoundedByReaders(mlir::Operation *op);

/// Whether gathered rows are read by contractions only, which read them in
/// place.
bool isTakenByReaders(mlir::Operation *op);

/// Copies a weight that is a result: only kernels read weights.
void copyWeights(mlir::Block &block);

/// Inserts a copy before each use of a value that is not stored, and one copy
/// of each constant that is stored: kernels that read it still recompute it.
void copyToUses(mlir::Block &block);

} // namespace transfold::fuse
