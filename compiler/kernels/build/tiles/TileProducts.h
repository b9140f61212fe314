// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces calls that build/tiles/TileCalls inserted by instructions for matrix
// registers. This header does not depend on Halide, which contains another
// LLVM.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where dot is the product of two words
/// of four signed bytes. For each of sum, x and w a call passes the buffer, the
/// first place in it, and the step between rows of sums, between rows of x, and
/// between words of w, in words of 32 bits; then the numbers of rows, columns
/// and words.
constexpr const char *tileProductName = "transfold_tile_product";

/// Replaces all such calls by AMX instructions; if `isScalar`, in a form that
/// LLVM can lower to scalar code. Throws std::runtime_error if a call does not
/// have the required sizes.
void replaceTileProducts(llvm::Function &function, bool isScalar);

/// Expands memsets of a constant size inline, instead of calling a function.
void clearWithoutCalls(llvm::Function &function);

/// Makes LLVM lower tile instructions to scalar code, in this process.
void makeTilesScalar();

} // namespace transfold::kernels
