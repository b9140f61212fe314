// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions for registers of matrices of bfloat16, where build/TileCalls
// left a call. Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRTILEPRODUCTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRTILEPRODUCTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where a dot is of two words of two
/// bfloat16, added up in the order that algorithm/PairProduct.cpp has. The
/// arguments are those of TileProducts.h.
constexpr const char *pairTileProductName = "transfold_pair_tile_product";

/// Replaces all such calls by AMX's instructions. `isScalar`: by ordinary code
/// that does what the manual says. Throws std::runtime_error where one does not
/// fit.
void replacePairTileProducts(llvm::Function &function, bool isScalar);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRTILEPRODUCTS_H
