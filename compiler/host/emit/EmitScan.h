// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits recurrences that no kernel computes as a whole: the launches of the
// region for each position.

#pragma once

#include "compiler/host/emit/EmitPerSequence.h"
#include "compiler/host/emit/EntryCode.h"

#include <functional>

namespace transfold::host {

/// Emits xf.scan; the addresses of its operands must be in the code.
class ScanEmitter {
public:
  /// `bufferAddress` returns the address of a buffer of the plan, `emitBlock`
  /// emits the operations of a region.
  ScanEmitter(EntryCode &code, PerSequenceEmitter &perSequence,
              std::function<llvm::Value *(xf::BufferAttr)> bufferAddress,
              std::function<void(mlir::Block &)> emitBlock)
      : code(code), builder(code.builder), perSequence(perSequence),
        bufferAddress(std::move(bufferAddress)),
        emitBlock(std::move(emitBlock)) {}

  /// Emits the positions, for one sequence after the other. The values of a
  /// position have the same memory for all sequences, the states that of their
  /// sequence.
  void emit(xf::ScanOp scan);

  /// Where the launch with this result writes a state; null if it does not
  /// compute one.
  llvm::Value *placeOf(mlir::Value result) const {
    return placed.lookup(result);
  }

private:
  /// A state that a launch computes: its memory and that of the launch's result
  /// change their roles after each position, so that nothing is copied.
  struct StatePair {
    mlir::Value state, result;
    llvm::Value *other;          // the memory of the result
    llvm::Value *current, *next; // variables with the addresses
  };

  /// The states whose next value a launch of the region computes for one state
  /// only.
  llvm::SmallVector<StatePair> statesInPairs(xf::ScanOp scan);

  /// The values that the region reads or replaces as those of one sequence.
  llvm::SmallVector<mlir::Value> valuesOfSequence(xf::ScanOp scan);

  /// All positions of a sequence; `outside` are the addresses of the rows of
  /// all sequences.
  void emitPositions(xf::ScanOp scan, llvm::Value *sequence,
                     llvm::ArrayRef<StatePair> pairs,
                     const EntryCode::Addresses &outside);

  /// One position, whose number counts the rows of all sequences.
  void emitPosition(xf::ScanOp scan, llvm::Value *position,
                    llvm::ArrayRef<StatePair> pairs,
                    const EntryCode::Addresses &outside);

  /// Copies rows and states of a position from the values that the region
  /// yields to where they are read.
  void copyYielded(xf::ScanOp scan, llvm::Value *position);

  /// Copies the state after the last position to where later operations read
  /// it, unless it is there.
  void finish(const StatePair &pair);

  /// Copies one entry of `from`.
  void copy(const Address &to, const Address &from, mlir::Value value);

  /// `base` + `index` times the bytes of one entry of `value`.
  llvm::Value *entryOf(llvm::Value *base, llvm::Value *index,
                       mlir::Value value);

  EntryCode &code;
  llvm::IRBuilder<> &builder;
  PerSequenceEmitter &perSequence;
  std::function<llvm::Value *(xf::BufferAttr)> bufferAddress;
  std::function<void(mlir::Block &)> emitBlock;
  /// The memory of the next states, by the values that launches compute.
  llvm::DenseMap<mlir::Value, llvm::Value *> placed;
};

} // namespace transfold::host
