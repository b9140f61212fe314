// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that all emitters of parts of an entry share.

#pragma once

#include "compiler/host/plan/LengthProducts.h"
#include "dialect/Dialect.h"

#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace transfold::host {

/// The address of a value: in the host's memory, or on a device as an offset
/// into a block, whose parts the runtime lists in a table (Program.h).
struct Address {
  llvm::Value *at = nullptr;
  llvm::Value *parts = nullptr; // null: the host's
};

/// The code of an entry under construction.
struct EntryCode {
  /// Begins without a function; the emitters of an entry create two.
  EntryCode(xf::EntryOp entry, llvm::Module &module);

  xf::EntryOp entry;
  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
  llvm::IntegerType *i64, *i32;
  llvm::Function *function = nullptr;
  bool onDevice; // whether kernels work in a device's memory

  LengthProducts sizes;
  llvm::SmallVector<mlir::StringAttr> lengthNames;
  /// The number of sequences.
  llvm::Value *sequences = nullptr;
  /// For each length and product of lengths: the total over all sequences, and
  /// the table of the offsets at which the rows of each sequence begin.
  llvm::SmallVector<llvm::Value *> totals, offsets;
  /// The totals over all sequences; within a launch per sequence, those of one.
  llvm::SmallVector<llvm::Value *> lengths;
  // The address of each value so far; for the index of a loop, the index
  // itself.
  using Addresses = llvm::DenseMap<mlir::Value, llvm::Value *>;
  Addresses addresses;
  /// On a device, for values that are neither in the weights nor in the arena:
  /// the parts of the block that contains them.
  llvm::DenseMap<mlir::Value, llvm::Value *> blocks;
  /// Fields of the frame.
  llvm::Value *kernels = nullptr, *device = nullptr, *watch = nullptr,
              *together = nullptr, *each = nullptr, *caches = nullptr;
  /// On a device, the parts of these blocks.
  llvm::Value *partsOfWeights = nullptr, *partsOfArena = nullptr;

  /// Loads element `index` of `array`.
  llvm::Value *load(llvm::Type *type, llvm::Value *array, unsigned index,
                    llvm::StringRef name = "");

  /// Loads element `index` of an array of integers.
  llvm::Value *loadAt(llvm::Value *array, llvm::Value *index);

  /// Loads the field at byte `offset` of a structure of Program.h, all of whose
  /// fields have eight bytes.
  llvm::Value *loadField(llvm::Type *type, llvm::Value *structure,
                         size_t offset, llvm::StringRef name = "");

  /// The address of a value.
  Address addressOf(mlir::Value value) const;

  /// Copies within the memory of the kernels. `more`: whether another copy
  /// follows immediately (transfold_device); null: no.
  void emitCopy(const Address &to, const Address &from, llvm::Value *bytes,
                llvm::MaybeAlign alignment, llvm::Value *more = nullptr);

  /// Calls the function at byte `field` of transfold_device.
  void callDevice(size_t field, llvm::ArrayRef<llvm::Value *> operands);

  /// Returns from the function if `code` is not 0.
  void returnUnlessZero(llvm::Value *code);

  /// The index of the first length among the axes of `type`; nullopt if there
  /// is none.
  std::optional<unsigned> lengthOf(mlir::Type type) const;
};

} // namespace transfold::host
