// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What TensorListed.cpp leaves in a definition and build/EndOfLists.cpp finds
// in the statement that Halide makes of it. Free of both.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LISTEDMARK_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LISTEDMARK_H

namespace transfold::kernels {

/// A call of it is its first argument. The second is what stands in a list
/// where the rows of a block of threads begin: below 0 behind the end, where
/// nobody reads any of them.
constexpr const char *listedMark = "transfold_listed";

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LISTEDMARK_H
