// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the emitters of launches, caches and transfers share.

#include "compiler/host/emit/EntryCode.h"

#include "compiler/host/plan/ChosenRows.h"
#include "compiler/host/plan/MemorySpace.h"
#include "runtime/program/Program.h"

#include <llvm/IR/Module.h>

#include <cstddef>

using namespace transfold;

host::EntryCode::EntryCode(xf::EntryOp entry, llvm::Module &module)
    : entry(entry), module(module), builder(module.getContext()),
      pointer(llvm::PointerType::get(module.getContext(), 0)),
      i64(builder.getInt64Ty()), i32(builder.getInt32Ty()),
      onDevice(!host::isHost(*host::memorySpaceOf(entry))),
      sizes(entry, host::sourcesOfLengths(entry)),
      lengthNames(entry.getLengths()) {}

llvm::Value *host::EntryCode::load(llvm::Type *type, llvm::Value *array,
                                   unsigned index, llvm::StringRef name) {
  return builder.CreateLoad(
      type, builder.CreateConstInBoundsGEP1_64(type, array, index), name);
}

llvm::Value *host::EntryCode::loadAt(llvm::Value *array, llvm::Value *index) {
  return builder.CreateLoad(i64, builder.CreateInBoundsGEP(i64, array, index));
}

llvm::Value *host::EntryCode::loadField(llvm::Type *type,
                                        llvm::Value *structure, size_t offset,
                                        llvm::StringRef name) {
  return load(type, structure, offset / 8, name);
}

host::Address host::EntryCode::addressOf(mlir::Value value) const {
  Address address{addresses.lookup(value), nullptr};
  if (!onDevice)
    return address;
  address.parts = blocks.lookup(value);
  if (!address.parts)
    address.parts =
        value.getDefiningOp<xf::WeightOp>() ? partsOfWeights : partsOfArena;
  return address;
}

void host::EntryCode::emitCopy(const Address &to, const Address &from,
                               llvm::Value *bytes, llvm::MaybeAlign alignment,
                               llvm::Value *more) {
  if (onDevice)
    callDevice(offsetof(transfold_device, copy),
               {to.parts, to.at, from.parts, from.at, bytes,
                more ? builder.CreateZExt(more, i64) : builder.getInt64(0)});
  else
    builder.CreateMemCpy(to.at, alignment, from.at, alignment, bytes);
}

void host::EntryCode::callDevice(size_t field,
                                 llvm::ArrayRef<llvm::Value *> operands) {
  llvm::SmallVector<llvm::Value *> all = {device};
  llvm::SmallVector<llvm::Type *> types = {pointer};
  for (llvm::Value *operand : operands) {
    all.push_back(operand);
    types.push_back(operand->getType());
  }
  returnUnlessZero(
      builder.CreateCall(llvm::FunctionType::get(i32, types, false),
                         loadField(pointer, device, field), all));
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
