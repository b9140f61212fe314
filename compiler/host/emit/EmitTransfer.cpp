// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/emit/EmitTransfer.h"

#include "compiler/host/emit/ControlFlow.h"
#include "compiler/host/emit/EmitCaches.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/Labels.h"
#include "dialect/weights/StoredValues.h"
#include "runtime/program/Program.h"

#include <cstddef>

using namespace transfold;
namespace ir = llvm;

bool host::TransferEmitter::isOnHost(mlir::Value value) const {
  return !code.onDevice || host::isArgument(value, code.entry);
}

bool host::TransferEmitter::isUpload(mlir::Operation *op) const {
  auto transfer = mlir::dyn_cast_or_null<xf::TransferOp>(op);
  return transfer && isOnHost(transfer.getInput()) &&
         !host::isHost(transfer.getSpace());
}

bool host::TransferEmitter::isUploadedWithNext(xf::TransferOp transfer) const {
  mlir::Operation *before = transfer->getPrevNode();
  while (before && isUpload(before))
    before = before->getPrevNode();
  return !before && transfer->getParentOp() == code.entry &&
         isUpload(transfer->getNextNode());
}

bool host::TransferEmitter::isOfLikeliest(xf::TransferOp transfer) const {
  xf::BufferAttr buffer = *transfer.getBuffer();
  auto shape = xf::getShape(transfer.getType());
  return code.onDevice && code.entry.getStage() == xf::Stage::Step &&
         buffer.getKind() == xf::BufferKind::Result && buffer.getIndex() == 0 &&
         !isOnHost(transfer.getInput()) && shape.size() == 2 &&
         !xf::getNumber(shape[0]) &&
         xf::bytesOfOne(transfer.getInput()) ==
             xf::getNumber(shape[1]).value_or(0) * int64_t{sizeof(float)};
}

void host::TransferEmitter::emitFetch(const Copy &copy, ir::Value *rows,
                                      int64_t numbers) {
  ir::IRBuilder<> &builder = code.builder;
  ir::Value *places = code.loadField(code.pointer, code.function->getArg(0),
                                     offsetof(transfold_frame, argmax));
  ir::Value *isWhole = builder.CreateIsNull(places);
  host::emitIf(builder, isWhole, [&] {
    code.callDevice(offsetof(transfold_device, download),
                    {copy.target, copy.source, copy.bytes});
  });
  host::emitIf(builder, builder.CreateNot(isWhole), [&] {
    code.callDevice(
        offsetof(transfold_device, largest),
        {places, copy.target, copy.source, rows, builder.getInt64(numbers)});
  });
}

void host::TransferEmitter::emit(xf::TransferOp transfer, ir::Value *target) {
  ir::IRBuilder<> &builder = code.builder;
  ir::Value *source = code.addresses.lookup(transfer.getInput());
  code.addresses[transfer.getResult()] = target;
  if (source == target || host::isInPlace(transfer))
    return;
  auto size = code.sizes.of(transfer.getInput().getType());
  ir::Value *bytes =
      builder.CreateMul(builder.getInt64(xf::bytesOfOne(transfer.getInput())),
                        size ? code.totals[*size] : code.sequences);
  bool fromHost = isOnHost(transfer.getInput());
  bool toHost = host::isHost(transfer.getSpace());
  if (isOfLikeliest(transfer))
    return emitFetch({source, target, bytes}, code.totals[*size],
                     xf::countNumbers(transfer.getType()));
  if (fromHost == toHost)
    code.emitCopy({target, code.partsOfArena}, {source, code.partsOfArena},
                  bytes, ir::MaybeAlign(arenaAlignment));
  else if (fromHost)
    code.callDevice(offsetof(transfold_device, upload),
                    {target, source, bytes,
                     builder.getInt64(isUploadedWithNext(transfer))});
  else
    code.callDevice(offsetof(transfold_device, download),
                    {target, source, bytes});
}
