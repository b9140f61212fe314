// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an entry while it is written: what all that write a part of it
// have at hand.

#ifndef TRANSFOLD_COMPILER_HOST_ENTRYCODE_H
#define TRANSFOLD_COMPILER_HOST_ENTRYCODE_H

#include "dialect/Dialect.h"

#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace transfold::host {

/// Where something lies: in the host's memory, or on a device at an offset into
/// a block, whose parts the runtime has in a table (Program.h).
struct Address {
  llvm::Value *at = nullptr;
  llvm::Value *parts = nullptr; // null: the host's
};

struct EntryCode {
  EntryCode(xf::EntryOp entry, llvm::Module &module);

  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
  llvm::IntegerType *i64, *i32;
  llvm::Function *function = nullptr;
  bool onDevice; // kernels work in its memory

  llvm::SmallVector<mlir::StringAttr> lengthNames;
  /// Of all sequences; within a launch for each, of one.
  llvm::SmallVector<llvm::Value *> lengths;
  llvm::DenseMap<mlir::Value, llvm::Value *> addresses;
  /// On a device, of what lies neither in the weights nor in the arena: the
  /// parts of the block that its address is in.
  llvm::DenseMap<mlir::Value, llvm::Value *> blocks;
  /// Fields of the frame.
  llvm::Value *kernels = nullptr, *device = nullptr, *watch = nullptr,
              *together = nullptr, *each = nullptr, *caches = nullptr;
  /// On a device, the parts of these blocks.
  llvm::Value *partsOfWeights = nullptr, *partsOfArena = nullptr;

  llvm::Value *load(llvm::Type *type, llvm::Value *array, unsigned index,
                    llvm::StringRef name = "");

  /// The field at byte `offset` of a structure of Program.h, all of whose
  /// fields have eight bytes.
  llvm::Value *loadField(llvm::Type *type, llvm::Value *structure,
                         size_t offset, llvm::StringRef name = "");

  /// Where a value lies.
  Address addressOf(mlir::Value value) const;

  /// Copies within the memory that kernels work in. `more`: whether another
  /// copy follows before anything else (transfold_device); null: none does.
  void emitCopy(const Address &to, const Address &from, llvm::Value *bytes,
                llvm::MaybeAlign alignment, llvm::Value *more = nullptr);

  /// Calls the function at byte `field` of transfold_device.
  void callDevice(size_t field, llvm::ArrayRef<llvm::Value *> operands);

  /// Leaves the function with a code that is not 0.
  void returnUnlessZero(llvm::Value *code);

  /// The first length that is an axis of `type`; none where there is none.
  std::optional<unsigned> lengthOf(mlir::Type type) const;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_ENTRYCODE_H
