// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that kernels read and write follows from their target: "cpu" is
// the host's own; "opencl", "cuda" and the like are a device's, which values
// enter and leave by transfers.

#ifndef TRANSFOLD_COMPILER_HOST_MEMORYSPACE_H
#define TRANSFOLD_COMPILER_HOST_MEMORYSPACE_H

#include "dialect/Dialect.h"

namespace transfold::host {

/// What a target such as "x86-64-linux-opencl" names; "cpu" where it names no
/// device or is empty.
llvm::StringRef memorySpaceOf(llvm::StringRef target);

/// Of all kernels that the entry launches; "cpu" where it launches none. An
/// error at the first kernel that works elsewhere than those before it.
mlir::FailureOr<llvm::StringRef> memorySpaceOf(xf::EntryOp entry);

/// What a value is a view of: rearrangements move nothing.
mlir::Value sourceOf(mlir::Value value);

/// Whether a value is the same for all sequences and there once: a weight, or
/// what a launch that runs once makes of weights. Known after DeriveBatch.
bool isForAll(mlir::Value value);

/// Whether values of a type are passed to a device's kernels as a number, which
/// the host reads: single integers, such as the first position of a step.
/// Algorithm: TensorBuffers.cpp.
bool isPassedAsNumber(mlir::Type type);

/// Whether a transfer goes to where its input lies already.
bool isInPlace(xf::TransferOp transfer);

/// The lengths along which caches get rows, each once.
llvm::SmallVector<mlir::StringAttr> cacheLengths(mlir::ModuleOp module);

/// Whether the value is an argument of the entry, or a view of one: those alone
/// lie in the host's memory, whatever memory the kernels have.
bool isArgument(mlir::Value value, xf::EntryOp entry);

/// Whether callers' memory and this one are the same.
inline bool isHost(llvm::StringRef space) {
  return space == "cpu" || space == "host";
}

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_MEMORYSPACE_H
