// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PairProduct.cpp leaves in a definition and build/PairDots.cpp finds in
// the bitcode that Halide makes of it. Free of both.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOTMARK_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOTMARK_H

#include <cstdint>

namespace transfold::kernels {

/// On the bits of a quotient of two words: not that is meant, but the products
/// of the bfloat16 in their lower and in their upper halves, added up. No mark
/// of words of bytes (WordDotMark.h).
constexpr uint32_t pairDotMark = 0x5d080000;

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PAIRDOTMARK_H
