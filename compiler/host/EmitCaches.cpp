// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/EmitCaches.h"

#include "compiler/host/ControlFlow.h"
#include "compiler/host/MemorySpace.h"

using namespace transfold;
using namespace llvm;

Value *host::CacheEmitter::memberBytes(xf::CacheOp cache) {
  Value *bytes = builder.getInt64(cache.getRowBytes());
  mlir::StringAttr length = cache.getLength();
  if (!length)
    return bytes;
  auto lengths = host::cacheLengths(module);
  unsigned number = llvm::find(lengths, length) - lengths.begin();
  Type *i64 = builder.getInt64Ty();
  return builder.CreateMul(
      bytes, builder.CreateLoad(i64, builder.CreateConstInBoundsGEP1_64(
                                         i64, capacities, number)));
}

Value *host::CacheEmitter::offsetOf(xf::CacheOp cache, Value *member) {
  Value *offset = builder.getInt64(0);
  for (auto before : module.getOps<xf::CacheOp>()) {
    if (before == cache)
      break;
    Value *bytes = builder.CreateMul(memberBytes(before),
                                     builder.getInt64(before.getMembers()));
    offset = builder.CreateAdd(
        offset,
        builder.CreateAnd(
            builder.CreateAdd(bytes, builder.getInt64(arenaAlignment - 1)),
            builder.getInt64(-arenaAlignment)));
  }
  return builder.CreateAdd(offset,
                           builder.CreateMul(member, memberBytes(cache)));
}

Value *host::CacheEmitter::addressOf(Value *sequence, Value *offset) {
  Type *pointer = builder.getPtrTy();
  Value *memory = builder.CreateLoad(
      pointer, builder.CreateInBoundsGEP(pointer, caches, sequence));
  return builder.CreateGEP(builder.getInt8Ty(), memory, offset);
}

void host::CacheEmitter::emitKeep(Value *offset, Value *sequences,
                                  const Rows &rows) {
  Type *i8 = builder.getInt8Ty(), *i32 = builder.getInt32Ty(),
       *i64 = builder.getInt64Ty();
  Value *rowBytes = builder.getInt64(rows.rowBytes);
  auto beginOf = [&](Value *sequence) {
    return builder.CreateLoad(
        i64, builder.CreateInBoundsGEP(i64, rows.offsets, sequence));
  };
  emitLoop(builder, "keep", sequences, [&](Value *sequence) {
    Value *begin = sequence, *count = builder.getInt64(1);
    if (rows.offsets) {
      begin = beginOf(sequence);
      count = builder.CreateSub(
          beginOf(builder.CreateAdd(sequence, builder.getInt64(1))), begin);
    }
    Value *to = addressOf(sequence, offset);
    if (rows.first) {
      Value *first = builder.CreateLoad(
          i32, builder.CreateInBoundsGEP(i32, rows.first, sequence));
      to = builder.CreateGEP(
          i8, to, builder.CreateMul(builder.CreateZExt(first, i64), rowBytes));
    }
    Value *from =
        builder.CreateGEP(i8, rows.values, builder.CreateMul(begin, rowBytes));
    const MaybeAlign align(MinAlign(4, rows.rowBytes));
    builder.CreateMemCpy(to, align, from, align,
                         builder.CreateMul(count, rowBytes));
  });
}
