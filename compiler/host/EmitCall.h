// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of kernels: a halide_buffer_t for each operand, the form for as many
// rows as there are, one kernel or several together.

#ifndef TRANSFOLD_COMPILER_HOST_EMITCALL_H
#define TRANSFOLD_COMPILER_HOST_EMITCALL_H

#include "compiler/host/EmitBuffer.h"
#include "compiler/host/EntryCode.h"

namespace transfold::host {

/// Operands and results have their addresses in the code.
class CallEmitter {
public:
  explicit CallEmitter(EntryCode &code)
      : code(code), builder(code.builder),
        buffers(code.builder, code.function) {}

  void emitCall(xf::LaunchOp launch);

  /// Of launches that are joined: through `together` of the frame where rows
  /// are few and nobody watches, else one after the other.
  void emitCalls(llvm::ArrayRef<xf::LaunchOp> group);

  /// Of a launch for each sequence: whether it is short for this one, so that
  /// one thread does it as fast as all.
  llvm::Value *isShort(xf::LaunchOp launch);
  /// Puts a call into place `index` of those that run each on one thread.
  void prepareEach(xf::LaunchOp launch, unsigned index);
  void forgetEach(xf::LaunchOp launch, unsigned index);
  /// Those of `count` places, through `each` of the frame.
  void emitEach(xf::LaunchOp launch, unsigned count);

private:
  void emitTogether(llvm::ArrayRef<xf::LaunchOp> group);

  /// Those of its operands and of its result, from buffer `first` on.
  llvm::SmallVector<llvm::Value *> fillBuffers(xf::LaunchOp launch,
                                               unsigned first = 0);
  llvm::Value *fillBuffer(unsigned index, mlir::Value value,
                          xf::StorageAttr storage);
  /// (extent, stride) of each dimension as the kernel sees it, fastest first.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>>
  dimensions(mlir::Type type, xf::StorageAttr storage);
  llvm::Value *extent(mlir::Attribute axis);
  void returnIfTooLarge();

  /// The number of the kernel, or of its form for as few rows as there are.
  llvm::Value *chooseKernel(xf::LaunchOp launch);
  llvm::Value *loadKernel(llvm::Value *number);
  /// Where the values of place `index` are: its kernel, and its buffers.
  llvm::Value *placeOfEach(xf::LaunchOp launch, unsigned index);

  EntryCode &code;
  llvm::IRBuilder<> &builder;
  BufferEmitter buffers;
  llvm::DenseMap<mlir::Operation *, llvm::Value *> valuesOfEach;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITCALL_H
