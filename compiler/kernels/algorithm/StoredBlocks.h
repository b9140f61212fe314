// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in blocks (dialect/blocks/BlockFormat.h) as kernels read them. In a
// program's file the bytes of a panel's blocks are those of the checkpoint, but
// word by word, so that vectors of columns are loaded at once:
//
//   word(w, c) of a block is bytes 4 w … 4 w + 3 of the block of column c
//
//   W<k, c> lies as [ceil(c / 32)][k / numbers][words of a block][32]
//
// Bytes that fill no word, the scale of q4_0 for one, stand behind the words:
// those of columns c and c + 16 are a word, of c, c + 8, c + 16 and c + 24 if
// they are single.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDBLOCKS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDBLOCKS_H

#include "dialect/blocks/BlockFormat.h"

#include <Halide.h>

#include <functional>

namespace transfold::kernels {

/// A block in a kernel: what BlockReader asks of it. All it says is an
/// expression; where the number of a group is known, so are shifts and masks.
class WordBlock {
public:
  using Index = Halide::Expr;
  using Integer = Halide::Expr;
  using Word = Halide::Expr;
  using Real = Halide::Expr;

  /// `word` loads a place of the panel, counted from the block's first.
  WordBlock(const BlockFormat &format, Halide::Expr column,
            std::function<Halide::Expr(Halide::Expr)> word)
      : format(format), column(std::move(column)), word(std::move(word)) {}

  Halide::Expr bits(const Halide::Expr &byte, const Halide::Expr &shift,
                    int count) const;
  Halide::Expr fourOf(const Halide::Expr &byte, const Halide::Expr &shift,
                      int count) const;
  Halide::Expr fourOfByte(const Halide::Expr &byte,
                          const Halide::Expr &shift) const;
  Halide::Expr byteOf(const Halide::Expr &word,
                      const Halide::Expr &number) const;
  Halide::Expr signedBits(const Halide::Expr &byte) const;
  Halide::Expr half(int byte) const;
  Halide::Expr single(int byte) const;
  Halide::Expr miniFloat(const Halide::Expr &byte) const;
  Halide::Expr powerOfTwo(int byte) const;
  Halide::Expr table(const std::array<int8_t, 16> &values,
                     const Halide::Expr &code) const;
  Halide::Expr real(const Halide::Expr &value) const;
  Halide::Expr choose(const Halide::Expr &condition, const Halide::Expr &a,
                      const Halide::Expr &b) const;

private:
  const BlockFormat &format;
  Halide::Expr column; // of the panel
  std::function<Halide::Expr(Halide::Expr)> word;

  /// The word of the own column that has a byte, and its place there.
  struct Place {
    Halide::Expr word, shift;
  };
  Place placeOf(const Halide::Expr &byte) const;
  Place placeOfOdd(int byte) const;
  Place placeOfKnown(int byte) const;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_STOREDBLOCKS_H
