// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The marks that PairDot.cpp leaves in a definition. build/llvm/PairDots.cpp
// finds one of them in the bitcode that Halide makes of it, and
// build/tiles/FragmentCalls.cpp the other in Halide's statements. This header
// depends on neither.

#pragma once

#include <cstdint>

namespace transfold::kernels {

/// XORed with the bits of a quotient of two words: this stands not for the
/// quotient, but for the sum of the products of the bfloat16 in their lower and
/// in their upper halves. Differs from every mark of words of bytes
/// (WordDotMark.h).
constexpr uint32_t pairDotMark = 0x5d080000;

/// The function of two words that stands for the same sum in a definition for
/// a device's matrix instructions.
constexpr const char *dotOfFragmentsName = "transfold_dot_of_fragments";

} // namespace transfold::kernels
