// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   dot(codes, numbers) = Σ_b codes_b numbers_b     of the bytes b of two words
//
// Processors have instructions for it. No expression of Halide becomes one of
// them where the bytes of a word are of one column and vectors are of columns,
// so it is written as something that nobody else writes,
//
//   bits(strict_div(codes as a float, numbers as a float)) ^ mark
//
// which no pass of LLVM takes apart; build/WordDots.cpp makes it what it means.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOT_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOT_H

#include "compiler/kernels/algorithm/WordDotMark.h"

#include <Halide.h>

namespace transfold::kernels {

/// Of words of four codes and words of four numbers from -127 to 127, an int32.
/// `isMarked`: it is for kernels that build/WordDots.h sees.
Halide::Expr dotOfWords(const Halide::Expr &codes, const Halide::Expr &numbers,
                        WordDotMark mark, bool isMarked);

/// Four integers of 8 bits, as int32, from the lowest byte to the highest.
Halide::Expr wordOfBytes(const std::function<Halide::Expr(int)> &byte);

/// Two words as one number of 64 bits; and the words of what is one, or of a
/// single word.
Halide::Expr octetOfWords(const Halide::Expr &low, const Halide::Expr &high);
std::vector<Halide::Expr> wordsOf(const Halide::Expr &entry);

/// dotOfWords of all words of two entries, added up.
Halide::Expr dotOfEntries(const Halide::Expr &codes,
                          const Halide::Expr &numbers, WordDotMark mark,
                          bool isMarked);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOT_H
