// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction as ordinary code: for tests on processors without it. LLVM has
// ordinary code of its own for it, but adds up in another order. Free of
// Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_TILEINTERPRETER_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_TILEINTERPRETER_H

#include <llvm/IR/IRBuilder.h>

namespace transfold::kernels {

/// What tdpbf16ps makes of registers that are vectors of 16 × 16 words, as
/// Intel's manual of it says (Software Developer's Manual, volume 2); but for
/// numbers below 2^-126, which are 0 to it. That is for who calls the code
/// (FlushedDenormals.h).
llvm::Value *interpretedPairs(llvm::IRBuilder<> &builder, uint64_t rows,
                              uint64_t columns, uint64_t words,
                              llvm::Value *sum, llvm::Value *x, llvm::Value *w);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_TILEINTERPRETER_H
