// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces calls that build/tiles/TileCalls inserted by instructions for small
// matrices: x86's tile registers, for bytes (TileProducts.cpp) and for bfloat16
// (PairTileProducts.cpp), and ARM's vectors of octets (OctetProducts.cpp). This
// header does not depend on Halide, which contains another LLVM.

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

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where dot is the product of two words
/// of two bfloat16, added in the order that algorithm/product/PairProduct.cpp
/// describes. The arguments are those of a tile product.
constexpr const char *pairTileProductName = "transfold_pair_tile_product";

/// Replaces all such calls by AMX instructions or, if `isScalar`, by scalar
/// code with the behavior that the manual defines. Throws std::runtime_error if
/// a call does not have the required sizes.
void replacePairTileProducts(llvm::Function &function, bool isScalar);

/// sum(c, n) = Σ_k dot(x(k, n), w(c, k)), where dot is the product of two
/// octets of signed bytes. Octets k of rows 2 p and 2 p + 1 are adjacent, and
/// so are octets k of all columns. For each of sum, x and w a call passes the
/// buffer, the first place in it, and the step between rows of sums, between
/// pairs of rows of x, and between octets of w: in 32-bit values for sum, and
/// in octets for x and w; then the numbers of pairs of rows, columns and
/// octets.
constexpr const char *octetProductName = "transfold_octet_product";

/// Replaces all such calls by the i8mm instruction; returns false if there are
/// none. Throws std::runtime_error if a call does not have the required sizes.
bool replaceOctetProducts(llvm::Function &function);

/// Expands memsets of a constant size inline, instead of calling a function.
void clearWithoutCalls(llvm::Function &function);

/// Makes LLVM lower tile instructions to scalar code, in this process.
void makeTilesScalar();

} // namespace transfold::kernels
