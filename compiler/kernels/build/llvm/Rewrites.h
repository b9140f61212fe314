// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes that FusedProducts.cpp makes to the LLVM IR of a kernel. Their
// files show the code before and after. This header does not depend on Halide,
// which contains another LLVM.

#pragma once

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace transfold::kernels {

/// Replaces version 8.6 of the ARM architecture in the target features by the
/// products of bfloat16 and of matrices of bytes that came with it. Halide 21
/// has a feature for the whole version only, and many processors with these
/// products lack some of its other instructions. (ArmFeatures.cpp)
void keepToProducts(llvm::Module &module);

/// Sets the flush-to-zero flags of the processor in each function of a kernel
/// for x86 that computes with floats: additions then treat values below 2^-126
/// as 0, as the instructions for bfloat16 do regardless of the control
/// register. Calls of halide_do_par_for, which may run other tasks, have the
/// previous flags. (FlushedDenormals.cpp)
void flushDenormals(llvm::Module &module);

/// Replaces roundings of whole vectors to bfloat16 by the instruction.
/// (BfloatRoundings.cpp)
void replaceBfloatRoundings(llvm::Function &function,
                            const llvm::TargetMachine &machine);

/// Replaces products of pairs of bfloat16 that algorithm/product/PairDot.h
/// marked by ARM's bfdot or x86's vdpbf16ps. Throws std::runtime_error if a
/// mark has an unknown form. (PairDots.cpp)
void replacePairDots(llvm::Function &function);

/// Replaces sums of products of bytes that algorithm/product/WordDot.h marked
/// by the instructions of the machine; returns false if there are none. Throws
/// std::runtime_error if a mark is left. (WordDots.cpp)
bool replaceWordDots(llvm::Function &function,
                     const llvm::TargetMachine &machine);

} // namespace transfold::kernels
