// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions for matrix (tile) registers as LLVM intrinsics. This header
// does not depend on Halide, which contains another LLVM.

#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace transfold::kernels {

/// Inserts instructions before a call. Each buffer that the call passes takes
/// three arguments: its address, the first place in it, and the step from one
/// row to the next, in words of 32 bits.
///
/// `isScalar`: registers are vectors of type <256 x i32>. LLVM's scalar
/// lowering of these instructions uses this type, and finds the vectors by
/// their bit casts.
class TileBuilder {
public:
  /// The largest number of rows, and of words of a row, of a register.
  static constexpr uint64_t tileSize = 16, bytesOfWord = 4;

  TileBuilder(llvm::CallInst &call, bool isScalar)
      : builder(&call), isScalar(isScalar), call(call) {}

  /// The first row of a buffer, and the bytes from one row to the next.
  struct Rows {
    llvm::Value *begin, *step;
  };
  /// The rows of the buffer whose arguments begin at `argument`.
  Rows rowsAt(unsigned argument);
  /// The rows that begin `down` rows and `words` words further; `words` has 64
  /// bits.
  Rows moved(const Rows &rows, uint64_t down, llvm::Value *words);

  /// A constant that the call passes.
  uint64_t number(unsigned argument) const;

  /// A register of `height` rows of `words` words that is 0.
  llvm::Value *zero(uint64_t height, uint64_t words);
  /// Loads a register from `rows`.
  llvm::Value *load(uint64_t height, uint64_t words, const Rows &rows);
  /// Stores a register to `rows`.
  void store(uint64_t height, uint64_t words, const Rows &rows,
             llvm::Value *tile);
  /// sum + x w, by the instruction `what`: x has `height` rows of `words`
  /// words, w has as many rows and `columns` columns.
  llvm::Value *multiply(llvm::Intrinsic::ID what, uint64_t height,
                        uint64_t columns, uint64_t words, llvm::Value *sum,
                        llvm::Value *x, llvm::Value *w);

  llvm::IRBuilder<> builder;
  const bool isScalar;

private:
  /// An intrinsic whose result is a register.
  llvm::Value *make(llvm::Intrinsic::ID what,
                    llvm::ArrayRef<llvm::Value *> arguments);
  /// A register as the type that the intrinsics take.
  llvm::Value *asTile(llvm::Value *value);
  /// The sizes of a register are 16-bit operands.
  llvm::Value *count(uint64_t rows) { return builder.getInt16(rows); }
  llvm::Value *bytes(uint64_t words) {
    return builder.getInt16(words * bytesOfWord);
  }

  llvm::CallInst &call;
};

} // namespace transfold::kernels
