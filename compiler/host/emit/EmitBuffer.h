// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the halide_buffer_t that a kernel gets for each operand.

#pragma once

#include "compiler/host/emit/EntryCode.h"

namespace transfold::host {

/// The halide_type_t of a value that a kernel reads or writes.
uint32_t elementOf(mlir::Type type, xf::StorageAttr storage);

/// The contents of a halide_buffer_t.
struct BufferContents {
  uint32_t element; // a halide_type_t
  /// (extent, stride) of each dimension, fastest first.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>> dimensions;
  /// On a device the kernel gets the memory from the beginning of the part that
  /// contains the address (transfold_device).
  Address address;
  // The device interface of Halide's runtime; null on the host.
  llvm::Value *interface = nullptr;
};

/// Buffers on the stack. All launches reuse the same few, since kernels do not
/// keep them.
class BufferEmitter {
public:
  BufferEmitter(llvm::IRBuilder<> &builder, llvm::Function *function)
      : builder(builder), function(function) {}

  /// Fills the buffer of operand `index` of a launch and returns it.
  llvm::Value *fill(unsigned index, BufferContents contents);

  /// Whether one of the buffers filled since the last call has more elements
  /// than kernels can count, with 32 bits; null if none can.
  llvm::Value *takeTooLarge() { return std::exchange(tooLarge, nullptr); }

private:
  /// Records the number of elements of a buffer.
  void noteSize(llvm::Value *size);

  llvm::IRBuilder<> &builder;
  llvm::Function *function;

  /// The buffer and the array of dimensions of an operand, which all launches
  /// use.
  struct Slot {
    llvm::Value *buffer = nullptr, *dimensions = nullptr;
    size_t most = 0; // capacity in dimensions
  };
  /// Slot `index`, with room for `dimensions` dimensions.
  const Slot &slot(unsigned index, size_t dimensions);
  llvm::SmallVector<Slot> slots;
  // The condition that `takeTooLarge` returns.
  llvm::Value *tooLarge = nullptr;
};

} // namespace transfold::host
