// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dot product of two pairs of bfloat16, as definitions write it:
//
//   dot(x, w) = x0 w0 + x1 w1     of the bfloat16 in the halves of two words
//
// Processors have an instruction that adds this to a float. Where Halide does
// not select it, the product is written as an expression that occurs nowhere
// else, as products of bytes are (WordDot.h):
//
//   bits(strict_div(x as a float, w as a float)) ^ mark
//
// build/llvm/PairDots.cpp replaces the addition of it to a sum by one
// instruction.

#pragma once

#include "compiler/kernels/algorithm/product/PairDotMark.h"

#include <Halide.h>

namespace transfold::kernels {

/// The dot product of two words of two bfloat16 each, uint32; a float that may
/// only be added to a sum.
Halide::Expr dotOfPairs(const Halide::Expr &x, const Halide::Expr &w);

/// The same on a device, for build/tiles/FragmentCalls.h, which replaces all
/// such products of a tile.
Halide::Expr dotOfFragments(const Halide::Expr &x, const Halide::Expr &w);

/// A word with two bfloat16 as its lower and its upper half.
Halide::Expr wordOfPair(const Halide::Expr &low, const Halide::Expr &high);

/// The largest distance of the two channels of a pair: the number of 32-bit
/// words in a vector of the widest registers.
constexpr int mostPairDistance = 16;

/// The channels of pair `number`, `distance` apart, so that a vector of
/// `distance` pairs consists of two vectors of channels.
struct PairsOfChannels {
  int distance;

  /// The first channel of pair `number`.
  Halide::Expr low(const Halide::Expr &number) const {
    return number / distance * (2 * distance) + number % distance;
  }
  /// The second channel of pair `number`.
  Halide::Expr high(const Halide::Expr &number) const {
    return low(number) + distance;
  }
};

} // namespace transfold::kernels
