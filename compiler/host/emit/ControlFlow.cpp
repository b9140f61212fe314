// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and branches for loops and conditions. The body is emitted by a
// callback, which may add blocks of its own; so the block at its end is read
// from the builder.

#include "compiler/host/emit/ControlFlow.h"

using namespace transfold;
using namespace llvm;

/// A new block at the end of the function that is being built.
static BasicBlock *blockAfter(IRBuilder<> &builder, const Twine &name) {
  return BasicBlock::Create(builder.getContext(), name,
                            builder.GetInsertBlock()->getParent());
}

void host::emitLoop(IRBuilder<> &builder, StringRef name, Value *count,
                    function_ref<void(Value *)> body) {
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *loop = blockAfter(builder, name);
  BasicBlock *after = blockAfter(builder, name + ".done");
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), before);
  body(index);
  Value *next = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, count), loop, after);
  builder.SetInsertPoint(after);
}

void host::emitIf(IRBuilder<> &builder, Value *condition,
                  function_ref<void()> body) {
  BasicBlock *then = blockAfter(builder, "then");
  BasicBlock *after = blockAfter(builder, "after");
  builder.CreateCondBr(condition, then, after);
  builder.SetInsertPoint(then);
  body();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}
