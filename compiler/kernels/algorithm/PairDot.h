// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   dot(x, w) = x0 w0 + x1 w1     of the bfloat16 in the halves of two words
//
// Processors have an instruction that adds this to a float. Where Halide does
// not find it, it is written as what nobody else writes, as products of bytes
// are (WordDot.h):
//
//   bits(strict_div(x as a float, w as a float)) ^ mark
//
// build/PairDots.h makes the sum that this is added to one instruction.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOT_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOT_H

#include "compiler/kernels/algorithm/PairDotMark.h"

#include <Halide.h>

namespace transfold::kernels {

/// Of words of two, uint32; a float that may only be added to a sum.
Halide::Expr dotOfPairs(const Halide::Expr &x, const Halide::Expr &w);

/// Two bfloat16 as the lower and the upper half of a word.
Halide::Expr wordOfPair(const Halide::Expr &low, const Halide::Expr &high);

/// Numbers of a pair lie so far apart at most: a vector of words of the widest
/// registers.
constexpr int mostPairDistance = 16;

/// A number of channels as pairs: which two are the pair `number`. They lie
/// `distance` apart, so that a vector of so many pairs is two of channels.
struct PairsOfChannels {
  int distance;

  Halide::Expr low(const Halide::Expr &number) const {
    return number / distance * (2 * distance) + number % distance;
  }
  Halide::Expr high(const Halide::Expr &number) const {
    return low(number) + distance;
  }
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOT_H
