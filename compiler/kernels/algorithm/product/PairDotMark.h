// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark that PairDot.cpp leaves in a definition and build/llvm/PairDots.cpp
// finds in the bitcode that Halide makes of it. This header depends on neither.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCT_PAIRDOTMARK_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCT_PAIRDOTMARK_H

#include <cstdint>

namespace transfold::kernels {

/// XORed with the bits of a quotient of two words: this stands not for the
/// quotient, but for the sum of the products of the bfloat16 in their lower and
/// in their upper halves. Differs from every mark of words of bytes
/// (WordDotMark.h).
constexpr uint32_t pairDotMark = 0x5d080000;

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCT_PAIRDOTMARK_H
