// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of processors for sums of products of bytes.

#pragma once

#include <llvm/IR/Intrinsics.h>

namespace llvm {
class TargetMachine;
}

namespace transfold::kernels {

/// Instructions for vectors of words of four bytes each: codes, which are
/// multiplied with signed values.
struct WordInstructions {
  using ID = llvm::Intrinsic::ID;
  /// Number of words of an instruction's vectors; wider vectors are split into
  /// such parts.
  unsigned words = 0;
  /// Multiplies unsigned bytes with signed ones, and adds pairs of products.
  ID pairs = llvm::Intrinsic::not_intrinsic;
  /// Adds pairs of such sums to sums of four products.
  ID fours = llvm::Intrinsic::not_intrinsic;
  /// Both, added to a further operand.
  ID whole = llvm::Intrinsic::not_intrinsic;
  /// x with the sign of y.
  ID sign = llvm::Intrinsic::not_intrinsic;
  /// `whole` takes signed codes, and is overloaded on the types of its vectors.
  bool takesSigns = false;
};

/// The instructions for vectors of `words` words; all fields are empty if the
/// machine has none.
WordInstructions wordInstructionsFor(const llvm::TargetMachine &machine,
                                     unsigned words);

} // namespace transfold::kernels
