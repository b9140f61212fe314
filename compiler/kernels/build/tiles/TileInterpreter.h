// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction tdpbf16ps as scalar code: for tests on processors without it.
// LLVM has its own scalar lowering of it, which adds in another order. This
// header does not depend on Halide, which contains another LLVM.

#pragma once

#include <llvm/IR/IRBuilder.h>

namespace transfold::kernels {

/// The result of tdpbf16ps for registers that are vectors of 16 × 16 words, as
/// Intel's manual defines it (Software Developer's Manual, volume 2), except
/// that the instruction treats values below 2^-126 as 0: the calling function
/// must set the flags for this (FlushedDenormals.cpp).
llvm::Value *interpretedPairs(llvm::IRBuilder<> &builder, uint64_t rows,
                              uint64_t columns, uint64_t words,
                              llvm::Value *sum, llvm::Value *x, llvm::Value *w);

} // namespace transfold::kernels
