// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits code for the memory of sequences: the location of caches (Program.h),
// and storing rows there.

#pragma once

#include "compiler/host/emit/EntryCode.h"

namespace transfold::host {

/// The alignment of the arena's slots, and of caches in the memory of a
/// sequence.
constexpr int64_t arenaAlignment = 64;

/// A member of a cache that an operation keeps or recalls, for any sequence.
struct CacheMember {
  unsigned cache; // its index in the module
  llvm::Value *member;
};

/// Emits accesses to caches.
class CacheEmitter {
public:
  /// Emits into the entry `code`, whose frame fields must be loaded before the
  /// first access.
  explicit CacheEmitter(EntryCode &code) : code(code) {}

  /// The index of a cache in the module.
  static unsigned numberOf(xf::CacheOp cache);
  /// The address of the row of position 0 in the memory of a sequence.
  Address addressOf(llvm::Value *sequence, const CacheMember &member);

  /// The address of the next row of a sequence. `first` is an array with the
  /// position of each sequence, in the host's memory; null: 0.
  Address nextRow(llvm::Value *sequence, const CacheMember &member,
                  llvm::Value *first, int64_t rowBytes);

  /// The rows of all sequences, concatenated.
  struct Rows {
    Address values;
    int64_t rowBytes;
    llvm::Value *offsets; // begin of each sequence's rows; null: one row each
    llvm::Value *first;   // position of each sequence; null: 0
  };
  /// Copies the new rows of each sequence to its cache, after the existing
  /// rows; `isLast` unless another such copy follows immediately.
  void emitKeep(const CacheMember &member, llvm::Value *sequences,
                const Rows &rows, bool isLast);

private:
  EntryCode &code;
};

} // namespace transfold::host
