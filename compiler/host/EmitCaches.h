// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the memory of sequences: where what they keep lies (Program.h), and
// how rows get there.

#ifndef TRANSFOLD_COMPILER_HOST_EMITCACHES_H
#define TRANSFOLD_COMPILER_HOST_EMITCACHES_H

#include "compiler/host/EntryCode.h"

namespace transfold::host {

/// Of the arena's slots, and of caches in the memory of a sequence.
constexpr int64_t arenaAlignment = 64;

/// What an operation keeps or recalls: a member of a cache, of any sequence.
struct CacheMember {
  unsigned cache; // its number in the module
  llvm::Value *member;
};

class CacheEmitter {
public:
  explicit CacheEmitter(EntryCode &code) : code(code) {}

  static unsigned numberOf(xf::CacheOp cache);
  /// Where the row of position 0 lies in the memory of a sequence.
  Address addressOf(llvm::Value *sequence, const CacheMember &member);

  /// Where the next row of a sequence goes. `first` is of each sequence the
  /// position, in the host's memory; null: 0.
  Address nextRow(llvm::Value *sequence, const CacheMember &member,
                  llvm::Value *first, int64_t rowBytes);

  /// Rows of all sequences, behind each other.
  struct Rows {
    Address values;
    int64_t rowBytes;
    llvm::Value *offsets; // of each sequence's rows; null: each has one
    llvm::Value *first;   // of each sequence the position; null: 0
  };
  /// Copies the rows of each sequence behind those that it has; `isLast` where
  /// another such copy does not follow at once.
  void emitKeep(const CacheMember &member, llvm::Value *sequences,
                const Rows &rows, bool isLast);

private:
  EntryCode &code;
};

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_EMITCACHES_H
