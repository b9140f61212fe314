// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processors have for sums of products of bytes.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_WORDINSTRUCTIONS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_WORDINSTRUCTIONS_H

#include <llvm/IR/Intrinsics.h>

namespace llvm {
class TargetMachine;
}

namespace transfold::kernels {

/// Instructions for vectors of words of four bytes each: codes, that are
/// multiplied with numbers that have a sign.
struct WordInstructions {
  using ID = llvm::Intrinsic::ID;
  /// Words of an instruction's vectors; others are taken in parts of as many.
  unsigned words = 0;
  /// Products of bytes without a sign to sums of two.
  ID pairs = llvm::Intrinsic::not_intrinsic;
  /// Those to sums of four.
  ID fours = llvm::Intrinsic::not_intrinsic;
  /// Both, and one more sum.
  ID whole = llvm::Intrinsic::not_intrinsic;
  /// x with the sign of y.
  ID sign = llvm::Intrinsic::not_intrinsic;
  /// `whole` takes codes with a sign, and is named by the types of its vectors.
  bool takesSigns = false;
};

/// Those for vectors of so many words; all empty where the machine has none.
WordInstructions wordInstructionsFor(const llvm::TargetMachine &machine,
                                     unsigned words);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_WORDINSTRUCTIONS_H
