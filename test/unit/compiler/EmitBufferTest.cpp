// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of launches have room for all of their dimensions.

#include "compiler/host/emit/EmitBuffer.h"

#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;
using namespace transfold;

namespace {

TEST(EmitBufferTest, HasRoomForEveryDimension) {
  LLVMContext context;
  Module module("test", context);
  auto *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                       Function::ExternalLinkage, "f", module);
  IRBuilder<> builder(BasicBlock::Create(context, "body", function));
  host::BufferEmitter buffers(builder, function);
  Value *address = ConstantPointerNull::get(builder.getPtrTy());
  std::pair<Value *, Value *> dimension = {builder.getInt64(2),
                                           builder.getInt64(1)};
  // Reuses the buffer of one operand in several launches.
  for (unsigned rank : {3, 11, 2}) {
    host::BufferContents contents{0, {}, {address, nullptr}};
    contents.dimensions.assign(rank, dimension);
    buffers.fill(0, std::move(contents));
  }
  // On a device there is one more dimension.
  host::BufferContents contents{0, {}, {address, address}};
  contents.dimensions.assign(11, dimension);
  contents.interface = address;
  buffers.fill(1, std::move(contents));
  builder.CreateRetVoid();

  int written = 0;
  for (Instruction &instruction : instructions(function))
    if (auto *place = dyn_cast<GetElementPtrInst>(&instruction))
      if (auto *dimensions = dyn_cast<AllocaInst>(place->getPointerOperand());
          dimensions && place->getNumIndices() == 1) {
        auto *number = cast<ConstantInt>(*place->idx_begin());
        auto *room = cast<ConstantInt>(dimensions->getArraySize());
        EXPECT_LT(number->getZExtValue(), room->getZExtValue());
        ++written;
      }
  EXPECT_GT(written, 0);
}

} // namespace
