// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits calls of kernels: a halide_buffer_t for each operand, the variant for
// the number of rows, one kernel or several together.

#pragma once

#include "compiler/host/emit/EmitBuffer.h"
#include "compiler/host/emit/EntryCode.h"

namespace transfold::host {

/// Emits calls; the addresses of operands and results must be in the code.
class CallEmitter {
public:
  /// Emits calls into the function that `code` is building.
  explicit CallEmitter(EntryCode &code)
      : code(code), builder(code.builder),
        buffers(code.builder, code.function) {}

  /// Emits the call of one launch.
  void emitCall(xf::LaunchOp launch);

  /// Emits launches that are joined: via `together` of the frame if the rows
  /// are few and no profiler (`watch`) is attached, otherwise one after the
  /// other.
  void emitCalls(llvm::ArrayRef<xf::LaunchOp> group);

  /// For a launch per sequence: whether it is so short for the current one that
  /// a single thread runs it as fast as all threads do.
  llvm::Value *isShort(xf::LaunchOp launch);
  /// Stores a call at place `index` of the calls that run each on one thread.
  void prepareEach(xf::LaunchOp launch, unsigned index);
  /// Clears place `index`.
  void forgetEach(xf::LaunchOp launch, unsigned index);
  /// Runs the calls of `count` places, through `each` of the frame.
  void emitEach(xf::LaunchOp launch, unsigned count);

private:
  /// Emits one call of the runtime for all launches of a group.
  void emitTogether(llvm::ArrayRef<xf::LaunchOp> group);

  /// Fills the buffers of the operands and of the result, from buffer `first`
  /// on.
  llvm::SmallVector<llvm::Value *> fillBuffers(xf::LaunchOp launch,
                                               unsigned first = 0);
  /// Fills buffer `index` for a value that is stored in this way.
  llvm::Value *fillBuffer(unsigned index, mlir::Value value,
                          xf::StorageAttr storage);
  /// The (extent, stride) of each dimension as the kernel expects it, fastest
  /// first.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>>
  dimensions(mlir::Type type, xf::StorageAttr storage);
  /// The size of an axis: a constant, or the current value of a length.
  llvm::Value *extent(mlir::Attribute axis);
  /// Returns TRANSFOLD_TOO_LARGE from the entry if a buffer that was filled has
  /// more elements than Halide can index.
  void returnIfTooLarge();

  /// The index of the kernel, or of its variant for the current number of rows.
  llvm::Value *chooseKernel(xf::LaunchOp launch);
  /// The address of kernel `number` for the processor that runs the program.
  llvm::Value *loadKernel(llvm::Value *number);
  /// The address of the values of place `index`: its kernel, and its buffers.
  llvm::Value *placeOfEach(xf::LaunchOp launch, unsigned index);

  EntryCode &code;
  llvm::IRBuilder<> &builder;
  BufferEmitter buffers;
  // For launches that run each on one thread, the array of their calls.
  llvm::DenseMap<mlir::Operation *, llvm::Value *> valuesOfEach;
};

} // namespace transfold::host
