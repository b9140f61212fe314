// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that threads call with an array of pointers, so that the runtime
// needs to know neither the kernels nor their signatures.

#include "compiler/host/emit/EmitJoined.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

using namespace transfold;
using namespace llvm;

/// Calls the kernel at `values`[index] with the `buffers` buffers that follow
/// it.
static Value *callAt(IRBuilder<> &builder, Value *values, unsigned index,
                     unsigned buffers) {
  PointerType *pointer = builder.getPtrTy();
  auto at = [&](unsigned place) {
    return builder.CreateLoad(
        pointer, builder.CreateConstInBoundsGEP1_64(pointer, values, place));
  };
  Value *kernel = at(index);
  SmallVector<Value *> operands;
  for (unsigned i = 0; i < buffers; ++i)
    operands.push_back(at(index + 1 + i));
  SmallVector<Type *> types(buffers, pointer);
  return builder.CreateCall(
      FunctionType::get(builder.getInt32Ty(), types, false), kernel, operands);
}

Function *host::emitJoinedCalls(Module &module, const Twine &name,
                                ArrayRef<unsigned> buffers) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::get(context, 0);
  Type *i32 = Type::getInt32Ty(context);
  auto *function = Function::Create(FunctionType::get(i32, {pointer}, false),
                                    GlobalValue::InternalLinkage, name, module);
  auto *failed = BasicBlock::Create(context, "failed", function);
  auto *block = BasicBlock::Create(context, "entry", function, failed);
  IRBuilder<> builder(block);
  unsigned index = 0;
  builder.SetInsertPoint(failed);
  PHINode *code = builder.CreatePHI(i32, buffers.size());
  builder.CreateRet(code);
  builder.SetInsertPoint(block);
  for (unsigned count : buffers) {
    Value *result = callAt(builder, function->getArg(0), index, count);
    index += 1 + count;
    code->addIncoming(result, builder.GetInsertBlock());
    auto *after = BasicBlock::Create(context, "next", function, failed);
    builder.CreateCondBr(builder.CreateIsNull(result), after, failed);
    builder.SetInsertPoint(after);
  }
  builder.CreateRet(builder.getInt32(0));
  return function;
}

Function *host::emitOneCall(Module &module, const Twine &name,
                            unsigned buffers) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::get(context, 0);
  Type *i32 = Type::getInt32Ty(context);
  auto *function = Function::Create(FunctionType::get(i32, {pointer}, false),
                                    GlobalValue::InternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  auto *none = BasicBlock::Create(context, "none", function);
  auto *call = BasicBlock::Create(context, "call", function);
  Value *kernel = builder.CreateLoad(pointer, function->getArg(0));
  builder.CreateCondBr(builder.CreateIsNull(kernel), none, call);
  builder.SetInsertPoint(none);
  builder.CreateRet(builder.getInt32(0));
  builder.SetInsertPoint(call);
  builder.CreateRet(callAt(builder, function->getArg(0), 0, buffers));
  return function;
}
