// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats in blocks of 256 elements that kernels do not read, from GGUF files
// with 1 to 3 bits per element: IQ1_S to IQ3_S, whose codes are indices into a
// codebook, and TQ1_0 and TQ2_0, whose elements are -d, 0 or d. In programs
// they are stored as floats (xf::heldIn). Each element is exactly one float32:
// a float16 times integers of at most 13 bits.

#pragma once

#include "compiler/checkpoint/Format.h"

namespace transfold::checkpoint {

/// The format of a type from IQ2_XXS to TQ2_0.
const Format &codebookFormat(DType dtype);

} // namespace transfold::checkpoint
