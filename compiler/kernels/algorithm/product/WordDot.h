// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   dot(codes, numbers) = Σ_b codes_b numbers_b     of the bytes b of two words
//
// Processors have instructions for it. Halide selects none of them if the bytes
// of a word belong to one column and the lanes of a vector to several columns,
// so the product is written as an expression that occurs nowhere else,
//
//   bits(strict_div(codes as a float, numbers as a float)) ^ mark
//
// which no pass of LLVM changes; build/llvm/WordDots.cpp replaces it by the dot
// product.

#pragma once

#include "compiler/kernels/algorithm/product/WordDotMark.h"

#include <Halide.h>

namespace transfold::kernels {

/// The dot product of a word of four codes and a word of four integers from
/// -127 to 127, an int32. `isMarked`: the kernel is processed by
/// build/llvm/WordDots.cpp, which replaces the marked expression; otherwise the
/// sum is written out.
Halide::Expr dotOfWords(const Halide::Expr &codes, const Halide::Expr &numbers,
                        WordDotMark mark, bool isMarked);

/// A word of four 8-bit integers, given as int32, from the lowest byte to the
/// highest.
Halide::Expr wordOfBytes(const std::function<Halide::Expr(int)> &byte);

/// Two words as one value of 64 bits.
Halide::Expr octetOfWords(const Halide::Expr &low, const Halide::Expr &high);
/// The words of such a value, lowest first; a value of 32 bits is its only
/// word.
std::vector<Halide::Expr> wordsOf(const Halide::Expr &entry);

/// The sum of dotOfWords over all words of two entries.
Halide::Expr dotOfEntries(const Halide::Expr &codes,
                          const Halide::Expr &numbers, WordDotMark mark,
                          bool isMarked);

} // namespace transfold::kernels
