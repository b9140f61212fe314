// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that kernels read and write follows from their target: "cpu" is
// the host's memory; "opencl", "cuda" and the like are a device's memory, to
// and from which transfers copy values.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::host {

/// The memory space of a target such as "x86-64-linux-opencl"; "cpu" if it
/// contains no device or is empty.
llvm::StringRef memorySpaceOf(llvm::StringRef target);

/// The memory space of all kernels that the entry launches; "cpu" if it
/// launches none. Reports an error at the first kernel whose memory differs
/// from that of earlier ones.
mlir::FailureOr<llvm::StringRef> memorySpaceOf(xf::EntryOp entry);

/// A pass over entries that depends on the memory space of their kernels.
template <typename PassBase> class PassInSpace : public PassBase {
public:
  using PassBase::PassBase;

  void runOnOperation() final {
    auto space = memorySpaceOf(this->getOperation());
    if (failed(space))
      return this->signalPassFailure();
    runIn(*space, this->getOperation());
  }

protected:
  virtual void runIn(llvm::StringRef space, xf::EntryOp entry) = 0;
};

/// The value that `value` is a view of: rearrangements move nothing.
mlir::Value sourceOf(mlir::Value value);

/// Whether a value exists once for all sequences: a weight, or the result of a
/// launch that runs once. Known after DeriveBatch.
bool isForAll(mlir::Value value);

/// Whether values of a type are passed to a device's kernels by value, which
/// the host reads: single integers, such as the first position of a step. See
/// TensorBuffers.cpp of the kernels' algorithm.
bool isPassedAsNumber(mlir::Type type);

/// Whether the target of a transfer is the memory of its input.
bool isInPlace(xf::TransferOp transfer);

/// The lengths along which rows of caches are appended, each once.
llvm::SmallVector<mlir::StringAttr> cacheLengths(mlir::ModuleOp module);

/// Whether the value is an argument of the entry, or a view of one: only these
/// are in the host's memory, whatever memory the kernels use.
bool isArgument(mlir::Value value, xf::EntryOp entry);

/// Whether a memory space is that of the callers.
inline bool isHost(llvm::StringRef space) {
  return space == "cpu" || space == "host";
}

} // namespace transfold::host
