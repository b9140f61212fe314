// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/EntryCode.h"

#include "compiler/host/MemorySpace.h"

#include <llvm/IR/Module.h>

using namespace transfold;

host::EntryCode::EntryCode(xf::EntryOp entry, llvm::Module &module)
    : module(module), builder(module.getContext()),
      pointer(llvm::PointerType::get(module.getContext(), 0)),
      i64(builder.getInt64Ty()), i32(builder.getInt32Ty()),
      onDevice(!host::isHost(*host::memorySpaceOf(entry))),
      lengthNames(entry.getLengths()) {}

llvm::Value *host::EntryCode::load(llvm::Type *type, llvm::Value *array,
                                   unsigned index, llvm::StringRef name) {
  return builder.CreateLoad(
      type, builder.CreateConstInBoundsGEP1_64(type, array, index), name);
}

llvm::Value *host::EntryCode::loadField(llvm::Type *type,
                                        llvm::Value *structure, size_t offset,
                                        llvm::StringRef name) {
  return load(type, structure, offset / 8, name);
}

void host::EntryCode::returnUnlessZero(llvm::Value *code) {
  auto *failed =
      llvm::BasicBlock::Create(module.getContext(), "failed", function);
  auto *next = llvm::BasicBlock::Create(module.getContext(), "next", function);
  builder.CreateCondBr(builder.CreateICmpEQ(code, builder.getInt32(0)), next,
                       failed);
  builder.SetInsertPoint(failed);
  builder.CreateRet(code);
  builder.SetInsertPoint(next);
}

std::optional<unsigned> host::EntryCode::lengthOf(mlir::Type type) const {
  for (mlir::Attribute axis : xf::getShape(type))
    if (!xf::getNumber(axis))
      return llvm::find(lengthNames, axis) - lengthNames.begin();
  return std::nullopt;
}
