// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions for sums of products of bytes, where algorithm/WordDot.h left
// its mark. Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_WORDDOTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_WORDDOTS_H

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace transfold::kernels {

/// Replaces all that is marked, by what the machine has; false where there is
/// nothing. Throws std::runtime_error where a mark is left.
bool replaceWordDots(llvm::Function &function,
                     const llvm::TargetMachine &machine);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_WORDDOTS_H
