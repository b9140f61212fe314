// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions for registers of matrices, where build/TileCalls left a call.
// Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_TILEPRODUCTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_TILEPRODUCTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where a dot is of two words of four
/// bytes with a sign. Of sum, x and w a call passes the buffer, the first place
/// in it and the step from a row of sums, from a row of x and from a word of w
/// to the next, in words of 32 bits; then how many rows, columns and words.
constexpr const char *tileProductName = "transfold_tile_product";

/// Replaces all such calls by AMX's instructions. `isScalar`: in a form that
/// LLVM can make ordinary code of. Throws std::runtime_error where one does not
/// fit.
void replaceTileProducts(llvm::Function &function, bool isScalar);

/// Clears memory of a known size in place, where a function would be called.
void clearWithoutCalls(llvm::Function &function);

/// Has LLVM make ordinary code of them, in this process.
void makeTilesScalar();

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_TILEPRODUCTS_H
