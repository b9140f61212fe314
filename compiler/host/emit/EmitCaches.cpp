// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in the memory of sequences. A cache begins at an offset that the
// runtime determines (transfold_place), its members follow at a stride, and the
// rows of a member are consecutive.

#include "compiler/host/emit/EmitCaches.h"

#include "compiler/host/emit/ControlFlow.h"
#include "runtime/program/Program.h"

#include <cstddef>

using namespace transfold;
using namespace llvm;

// All fields have eight bytes.
static_assert(sizeof(transfold_sequence) == 24 &&
              sizeof(transfold_place) == 16);

unsigned host::CacheEmitter::numberOf(xf::CacheOp cache) {
  unsigned number = 0;
  for (auto before :
       cache->getParentOfType<mlir::ModuleOp>().getOps<xf::CacheOp>()) {
    if (before == cache)
      break;
    ++number;
  }
  return number;
}

host::Address host::CacheEmitter::addressOf(Value *sequence,
                                            const CacheMember &member) {
  IRBuilder<> &builder = code.builder;
  Value *own = builder.CreateInBoundsGEP(
      builder.getInt8Ty(), code.caches,
      builder.CreateMul(sequence,
                        builder.getInt64(sizeof(transfold_sequence))));
  Value *places =
      code.loadField(code.pointer, own, offsetof(transfold_sequence, places));
  Value *place = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), places,
      uint64_t{member.cache} * sizeof(transfold_place));
  Value *begin =
      code.loadField(code.i64, place, offsetof(transfold_place, begin));
  Value *stride =
      code.loadField(code.i64, place, offsetof(transfold_place, stride));
  Value *offset =
      builder.CreateAdd(begin, builder.CreateMul(member.member, stride));
  if (code.onDevice)
    return {builder.CreateIntToPtr(offset, code.pointer),
            code.loadField(code.pointer, own,
                           offsetof(transfold_sequence, on_device))};
  Value *memory =
      code.loadField(code.pointer, own, offsetof(transfold_sequence, memory));
  return {builder.CreateGEP(builder.getInt8Ty(), memory, offset)};
}

host::Address host::CacheEmitter::nextRow(Value *sequence,
                                          const CacheMember &member,
                                          Value *first, int64_t rowBytes) {
  IRBuilder<> &builder = code.builder;
  Address row = addressOf(sequence, member);
  if (!first)
    return row;
  Value *position = builder.CreateLoad(
      code.i32, builder.CreateInBoundsGEP(code.i32, first, sequence));
  row.at = builder.CreateGEP(
      builder.getInt8Ty(), row.at,
      builder.CreateMul(builder.CreateZExt(position, code.i64),
                        builder.getInt64(rowBytes)));
  return row;
}

void host::CacheEmitter::emitKeep(const CacheMember &member, Value *sequences,
                                  const Rows &rows, bool isLast) {
  IRBuilder<> &builder = code.builder;
  Value *rowBytes = builder.getInt64(rows.rowBytes);
  auto beginOf = [&](Value *sequence) {
    return builder.CreateLoad(
        code.i64, builder.CreateInBoundsGEP(code.i64, rows.offsets, sequence));
  };
  emitLoop(builder, "keep", sequences, [&](Value *sequence) {
    Value *begin = sequence, *count = builder.getInt64(1);
    // Without a length each sequence has one value, at its own index.
    if (rows.offsets) {
      begin = beginOf(sequence);
      count = builder.CreateSub(
          beginOf(builder.CreateAdd(sequence, builder.getInt64(1))), begin);
    }
    Address to = nextRow(sequence, member, rows.first, rows.rowBytes),
            from = rows.values;
    from.at = builder.CreateGEP(builder.getInt8Ty(), from.at,
                                builder.CreateMul(begin, rowBytes));
    Value *more = nullptr;
    if (code.onDevice)
      // On a device the copies of all sequences, and of the keeps that follow,
      // are collected and started together.
      more = isLast ? builder.CreateICmpSLT(
                          builder.CreateAdd(sequence, builder.getInt64(1)),
                          sequences)
                    : builder.getTrue();
    code.emitCopy(to, from, builder.CreateMul(count, rowBytes),
                  MaybeAlign(MinAlign(4, rows.rowBytes)), more);
  });
}
