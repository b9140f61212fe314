// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions for registers of matrices, as LLVM's operations. Free of Halide,
// whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_TILEBUILDER_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_TILEBUILDER_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace transfold::kernels {

/// Makes the instructions of a call before it. Of the buffers that the call
/// passes, each is three arguments: where it begins, the first place in it, and
/// the step from one row to the next, in words of 32 bits.
///
/// `isScalar`: registers are vectors, <256 x i32>, which LLVM's ordinary code
/// for such instructions has for them, and finds by conversions.
class TileBuilder {
public:
  /// Rows, and words of a row, that a register holds at most.
  static constexpr uint64_t tileSize = 16, bytesOfWord = 4;

  TileBuilder(llvm::CallInst &call, bool isScalar)
      : builder(&call), isScalar(isScalar), call(call) {}

  struct Rows {
    llvm::Value *begin, *step;
  };
  Rows rowsAt(unsigned argument);
  /// So many rows on, and words: a number of 64 bits, or none.
  Rows moved(const Rows &rows, uint64_t down, llvm::Value *words);

  /// A number that the call passes.
  uint64_t number(unsigned argument) const;

  llvm::Value *zero(uint64_t height, uint64_t words);
  llvm::Value *load(uint64_t height, uint64_t words, const Rows &rows);
  void store(uint64_t height, uint64_t words, const Rows &rows,
             llvm::Value *tile);
  /// sum + x w, by the instruction `what`: `height` rows of x, whose words are
  /// the rows of w, and columns of w.
  llvm::Value *multiply(llvm::Intrinsic::ID what, uint64_t height,
                        uint64_t columns, uint64_t words, llvm::Value *sum,
                        llvm::Value *x, llvm::Value *w);

  llvm::IRBuilder<> builder;
  const bool isScalar;

private:
  llvm::Value *make(llvm::Intrinsic::ID what,
                    llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *asTile(llvm::Value *value);
  llvm::Value *count(uint64_t rows) { return builder.getInt16(rows); }
  llvm::Value *bytes(uint64_t words) {
    return builder.getInt16(words * bytesOfWord);
  }

  llvm::CallInst &call;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_TILEBUILDER_H
