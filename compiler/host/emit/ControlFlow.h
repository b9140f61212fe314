// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits loops and conditions in LLVM IR.

#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

namespace transfold::host {

/// Emits: for index in 0 … count, at least once.
void emitLoop(llvm::IRBuilder<> &builder, llvm::StringRef name,
              llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);

/// Emits: if condition.
void emitIf(llvm::IRBuilder<> &builder, llvm::Value *condition,
            llvm::function_ref<void()> body);

} // namespace transfold::host
