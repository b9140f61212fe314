// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in blocks of 256 that kernels do not read, of GGUF files with 1 to 3
// bits for each number: IQ1_S to IQ3_S, whose codes choose among the entries of
// a codebook, and TQ1_0 and TQ2_0, whose numbers are -d, 0 or d. In programs
// they are floats (xf::heldIn). Each number is one float32 exactly: a float16
// times integers of 13 bits at most.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CODEBOOKFORMATS_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CODEBOOKFORMATS_H

#include "compiler/checkpoint/Format.h"

namespace transfold::checkpoint {

/// Of IQ2_XXS to TQ2_0.
const Format &codebookFormat(DType dtype);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CODEBOOKFORMATS_H
