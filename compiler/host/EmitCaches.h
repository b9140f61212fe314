// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the memory of sequences: where what they keep lies (Program.h), and
// how rows get there.

#ifndef TRANSFOLD_COMPILER_HOST_EMITCACHES_H
#define TRANSFOLD_COMPILER_HOST_EMITCACHES_H

#include "dialect/Dialect.h"

#include <llvm/IR/IRBuilder.h>
#include <mlir/IR/BuiltinOps.h>

namespace transfold::host {

/// Of the arena's slots, and of caches in the memory of a sequence.
constexpr int64_t arenaAlignment = 64;

class CacheEmitter {
public:
  /// `caches` and `capacities` are those of the frame.
  CacheEmitter(llvm::IRBuilder<> &builder, mlir::ModuleOp module,
               llvm::Value *caches, llvm::Value *capacities)
      : builder(builder), module(module), caches(caches),
        capacities(capacities) {}

  /// Where a member of a cache lies in the memory of a sequence.
  llvm::Value *offsetOf(xf::CacheOp cache, llvm::Value *member);
  /// What lies at `offset` in the memory of a sequence.
  llvm::Value *addressOf(llvm::Value *sequence, llvm::Value *offset);

  /// Rows of all sequences, behind each other.
  struct Rows {
    llvm::Value *values;
    int64_t rowBytes;
    llvm::Value *offsets; // of each sequence's rows; null: each has one
    llvm::Value *first;   // of each sequence the position; null: 0
  };
  /// Copies the rows of each sequence behind those that it has.
  void emitKeep(llvm::Value *offset, llvm::Value *sequences, const Rows &rows);

private:
  llvm::Value *memberBytes(xf::CacheOp cache);

  llvm::IRBuilder<> &builder;
  mlir::ModuleOp module;
  llvm::Value *caches, *capacities;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITCACHES_H
