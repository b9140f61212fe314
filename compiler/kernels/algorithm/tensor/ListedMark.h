// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark that TensorListed.cpp leaves in a definition and
// build/halide/SkipEmptyBlocks.cpp finds in the statement that Halide makes of
// it. This header depends on neither.

#pragma once

namespace transfold::kernels {

/// A call of this name has the value of its first argument. The second argument
/// is the entry of the list at the first row of a thread block: it is negative
/// past the end of the list, where no row of the block is ever read.
constexpr const char *listedMark = "transfold_listed";

} // namespace transfold::kernels
