// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The halide_buffer_t that a kernel gets for each operand.

#ifndef TRANSFOLD_COMPILER_HOST_EMITBUFFER_H
#define TRANSFOLD_COMPILER_HOST_EMITBUFFER_H

#include "compiler/host/EntryCode.h"

namespace transfold::host {

/// The halide_type_t of what a kernel reads or writes.
uint32_t elementOf(mlir::Type type, xf::StorageAttr storage);

struct BufferContents {
  uint32_t element; // a halide_type_t
  /// (extent, stride) of each dimension, fastest first.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>> dimensions;
  /// On a device the kernel gets all from the part of the block on that the
  /// address is in (transfold_device).
  Address address;
  llvm::Value *interface = nullptr;
};

/// Buffers on the stack. Launches use the same few in turn: a kernel does not
/// keep them.
class BufferEmitter {
public:
  BufferEmitter(llvm::IRBuilder<> &builder, llvm::Function *function)
      : builder(builder), function(function) {}

  /// The buffer of operand `index` of a launch.
  llvm::Value *fill(unsigned index, BufferContents contents);

  /// Whether one of the buffers filled since the last question has more numbers
  /// than kernels count, which is with 32 bits; null where none can.
  llvm::Value *takeTooLarge() { return std::exchange(tooLarge, nullptr); }

private:
  /// Numbers of a buffer.
  void noteSize(llvm::Value *size);

  llvm::IRBuilder<> &builder;
  llvm::Function *function;

  struct Slot {
    llvm::Value *buffer = nullptr, *dimensions = nullptr;
    size_t most = 0; // dimensions
  };
  /// Slot `index`, with room for so many dimensions.
  const Slot &slot(unsigned index, size_t dimensions);
  llvm::SmallVector<Slot> slots;
  llvm::Value *tooLarge = nullptr;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITBUFFER_H
