// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values in blocks (base/numeric/BlockFormat.h) as kernels read them. In a
// program's file the bytes of a panel's blocks are those of the checkpoint, but
// word by word, so that vectors of columns are loaded at once:
//
//   word(w, c) of a block is bytes 4 w … 4 w + 3 of the block of column c
//
//   W<k, c> lies as [ceil(c / 32)][k / numbers][words of a block][32]
//
// Bytes that fill no whole word, such as the scale of q4_0, follow the words:
// those of columns c and c + 16 share a word or, if they are single bytes,
// those of c, c + 8, c + 16 and c + 24.

#pragma once

#include "base/numeric/BlockFormat.h"

#include <Halide.h>

#include <functional>

namespace transfold::kernels {

/// A block in a kernel: implements the interface that BlockReader requires,
/// with Halide expressions. If the number of a group is a constant, so are
/// shifts and masks.
class WordBlock {
public:
  using Index = Halide::Expr;
  using Integer = Halide::Expr;
  using Word = Halide::Expr;
  using Real = Halide::Expr;

  /// `word` loads a word of the panel by its index, counted from the first of
  /// the block.
  WordBlock(const BlockFormat &format, Halide::Expr column,
            std::function<Halide::Expr(Halide::Expr)> word)
      : format(format), column(std::move(column)), word(std::move(word)) {}

  /// `count` bits of the block of this column, from bit `shift` of byte `byte`
  /// on.
  Halide::Expr bits(const Halide::Expr &byte, const Halide::Expr &shift,
                    int count) const;
  /// The same of each of the four bytes from `byte` on, as the bytes of a word.
  Halide::Expr fourOf(const Halide::Expr &byte, const Halide::Expr &shift,
                      int count) const;
  /// Four bits of a byte, from bit `shift` on, as the bytes of a word.
  Halide::Expr fourOfByte(const Halide::Expr &byte,
                          const Halide::Expr &shift) const;
  /// Byte `number` of a word, as an integer.
  Halide::Expr byteOf(const Halide::Expr &word,
                      const Halide::Expr &number) const;
  /// A byte of the block as a signed integer.
  Halide::Expr signedBits(const Halide::Expr &byte) const;
  /// The float16 at byte `byte`, which must be finite.
  Halide::Expr half(int byte) const;
  /// The float32 at byte `byte`.
  Halide::Expr single(int byte) const;
  /// The float of 8 bits at byte `byte`.
  Halide::Expr miniFloat(const Halide::Expr &byte) const;
  /// 2^(e - 128), where e is the value of byte `byte`.
  Halide::Expr powerOfTwo(int byte) const;
  /// Element `code` of a table of constants.
  Halide::Expr table(const std::array<int8_t, 16> &values,
                     const Halide::Expr &code) const;
  /// An integer as a float.
  Halide::Expr real(const Halide::Expr &value) const;
  /// `a` if the condition holds, else `b`.
  Halide::Expr choose(const Halide::Expr &condition, const Halide::Expr &a,
                      const Halide::Expr &b) const;

private:
  const BlockFormat &format;
  Halide::Expr column; // within the panel
  std::function<Halide::Expr(Halide::Expr)> word;

  /// The word of this column that contains a byte, and the byte's shift within
  /// it.
  struct Place {
    Halide::Expr word, shift;
  };
  /// The place of a byte within whole words.
  Place placeOf(const Halide::Expr &byte) const;
  /// The place of a byte that shares its word with other columns.
  Place placeOfOdd(int byte) const;
  /// The place of a byte of either kind.
  Place placeOfKnown(int byte) const;
};

} // namespace transfold::kernels
