// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions for pairs of products of bfloat16, where algorithm/PairProduct
// left its mark. Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRDOTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRDOTS_H

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// Replaces all that is marked by ARM's bfdot. Throws std::runtime_error where
/// a mark is in no form that is known.
void replacePairDots(llvm::Function &function);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_PAIRDOTS_H
