// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds calls of functions by name: functions that stand for instructions, or
// that are part of a runtime.

#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace transfold::kernels {

/// Whether `instruction` is a call of the function `name`.
inline bool isCallOf(const llvm::Instruction &instruction,
                     llvm::StringRef name) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName() == name;
}

/// All such calls in a function; they may be replaced while the caller
/// iterates.
inline llvm::SmallVector<llvm::CallInst *> callsOf(llvm::Function &function,
                                                   llvm::StringRef name) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (isCallOf(instruction, name))
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return calls;
}

} // namespace transfold::kernels
