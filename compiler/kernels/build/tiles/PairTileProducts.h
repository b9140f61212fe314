// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces calls that build/tiles/TileCalls inserted by instructions for matrix
// registers of bfloat16. This header does not depend on Halide, which contains
// another LLVM.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where dot is the product of two words
/// of two bfloat16, added in the order that algorithm/product/PairProduct.cpp
/// describes. The arguments are those of TileProducts.h.
constexpr const char *pairTileProductName = "transfold_pair_tile_product";

/// Replaces all such calls by AMX instructions or, if `isScalar`, by scalar
/// code with the behavior that the manual defines. Throws std::runtime_error if
/// a call does not have the required sizes.
void replacePairTileProducts(llvm::Function &function, bool isScalar);

} // namespace transfold::kernels
