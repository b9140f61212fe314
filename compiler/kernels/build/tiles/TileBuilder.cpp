// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's intrinsics for tiles take the height of a register in rows and its
// width in bytes with every use; LLVM configures the registers from these.

#include "compiler/kernels/build/tiles/TileBuilder.h"

#include <llvm/IR/IntrinsicsX86.h>

using namespace llvm;

namespace transfold::kernels {

TileBuilder::Rows TileBuilder::rowsAt(unsigned argument) {
  auto bytesAt = [&](unsigned own) {
    Value *words =
        builder.CreateSExt(call.getArgOperand(own), builder.getInt64Ty());
    return builder.CreateMul(words, builder.getInt64(bytesOfWord));
  };
  return {
      builder.CreatePtrAdd(call.getArgOperand(argument), bytesAt(argument + 1)),
      bytesAt(argument + 2)};
}

TileBuilder::Rows TileBuilder::moved(const Rows &rows, uint64_t down,
                                     Value *words) {
  Value *begin = builder.CreatePtrAdd(
      rows.begin, builder.CreateMul(rows.step, builder.getInt64(down)));
  return {builder.CreatePtrAdd(
              begin, builder.CreateMul(words, builder.getInt64(bytesOfWord))),
          rows.step};
}

uint64_t TileBuilder::number(unsigned argument) const {
  return cast<ConstantInt>(call.getArgOperand(argument))->getZExtValue();
}

Value *TileBuilder::asTile(Value *value) {
  return isScalar ? builder.CreateBitCast(
                        value, Type::getX86_AMXTy(builder.getContext()))
                  : value;
}

Value *TileBuilder::make(Intrinsic::ID what, ArrayRef<Value *> arguments) {
  Value *made = builder.CreateIntrinsic(what, {}, arguments);
  return isScalar ? builder.CreateBitCast(
                        made, FixedVectorType::get(builder.getInt32Ty(),
                                                   tileSize * tileSize))
                  : made;
}

Value *TileBuilder::zero(uint64_t height, uint64_t words) {
  return make(Intrinsic::x86_tilezero_internal, {count(height), bytes(words)});
}

Value *TileBuilder::load(uint64_t height, uint64_t words, const Rows &rows) {
  return make(Intrinsic::x86_tileloadd64_internal,
              {count(height), bytes(words), rows.begin, rows.step});
}

void TileBuilder::store(uint64_t height, uint64_t words, const Rows &rows,
                        Value *tile) {
  builder.CreateIntrinsic(
      Intrinsic::x86_tilestored64_internal, {},
      {count(height), bytes(words), rows.begin, rows.step, asTile(tile)});
}

Value *TileBuilder::multiply(Intrinsic::ID what, uint64_t height,
                             uint64_t columns, uint64_t words, Value *sum,
                             Value *x, Value *w) {
  return make(what, {count(height), bytes(columns), bytes(words), asTile(sum),
                     asTile(x), asTile(w)});
}

} // namespace transfold::kernels
