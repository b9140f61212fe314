// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/emit/EmitPerSequence.h"

#include "compiler/host/emit/ControlFlow.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/weights/StoredValues.h"
#include "runtime/kernels/PerSequenceCalls.h"
#include "runtime/program/Program.h"

#include <llvm/ADT/SetVector.h>

#include <cstddef>

using namespace transfold;
namespace ir = llvm;

bool host::PerSequenceEmitter::isRecalled(mlir::Value value) const {
  return recalled.contains(host::sourceOf(value));
}

void host::PerSequenceEmitter::emit(xf::LaunchOp launch) {
  ir::IRBuilder<> &builder = code.builder;
  if (canRunEach(launch)) {
    ir::Value *isEach = builder.CreateAnd(builder.CreateIsNotNull(code.each),
                                          builder.CreateIsNull(code.watch));
    host::emitIf(builder, isEach, [&] { emitEach(launch); });
    host::emitIf(builder, builder.CreateNot(isEach),
                 [&] { emitForEach(launch); });
  } else {
    emitForEach(launch);
  }
}

void host::PerSequenceEmitter::emitForEach(xf::LaunchOp launch) {
  ir::IRBuilder<> &builder = code.builder;
  ir::Value *areSeveral =
      builder.CreateICmpSGT(code.sequences, builder.getInt64(1));
  auto runBeside = [&](ir::Value *lane) {
    if (code.onDevice)
      host::emitIf(builder, areSeveral, [&] {
        code.callDevice(offsetof(transfold_device, beside), {lane});
      });
  };
  host::emitLoop(builder, "sequence", code.sequences, [&](ir::Value *sequence) {
    runBeside(builder.CreateAdd(sequence, builder.getInt64(1)));
    withSequence(valuesOf(launch), sequence, [&] { calls.emitCall(launch); });
  });
  runBeside(builder.getInt64(0));
}

bool host::PerSequenceEmitter::canRunEach(xf::LaunchOp launch) const {
  return !code.onDevice && code.entry.getStage() == xf::Stage::Step &&
         code.lengthOf(launch.getResult().getType());
}

void host::PerSequenceEmitter::emitEach(xf::LaunchOp launch) {
  constexpr unsigned most = runtime::mostCallsOfEach;
  ir::IRBuilder<> &builder = code.builder;
  ir::Value *sequences = code.sequences;
  ir::Value *groups = builder.CreateUDiv(
      builder.CreateAdd(sequences, builder.getInt64(most - 1)),
      builder.getInt64(most));
  host::emitLoop(builder, "group", groups, [&](ir::Value *group) {
    ir::Value *first = builder.CreateMul(group, builder.getInt64(most));
    for (unsigned place = 0; place < most; ++place) {
      ir::Value *sequence = builder.CreateAdd(first, builder.getInt64(place));
      calls.forgetEach(launch, place);
      host::emitIf(builder, builder.CreateICmpSLT(sequence, sequences), [&] {
        withSequence(valuesOf(launch), sequence, [&] {
          ir::Value *isShort = calls.isShort(launch);
          host::emitIf(builder, isShort,
                       [&] { calls.prepareEach(launch, place); });
          host::emitIf(builder, builder.CreateNot(isShort),
                       [&] { calls.emitCall(launch); });
        });
      });
    }
    calls.emitEach(launch, most);
  });
}

ir::SmallVector<mlir::Value>
host::PerSequenceEmitter::valuesOf(xf::LaunchOp launch) {
  llvm::SmallSetVector<mlir::Value, 8> values(launch.getOperands().begin(),
                                              launch.getOperands().end());
  values.insert(launch.result_begin(), launch.result_end());
  return values.takeVector();
}

void host::PerSequenceEmitter::withSequence(ir::ArrayRef<mlir::Value> values,
                                            ir::Value *sequence,
                                            ir::function_ref<void()> body) {
  ir::IRBuilder<> &builder = code.builder;
  auto allLengths = code.lengths;
  auto allAddresses = code.addresses;
  ir::SmallVector<ir::Value *> begins;
  for (auto [index, table] : llvm::enumerate(code.offsets)) {
    begins.push_back(code.loadAt(table, sequence));
    if (index >= code.entry.getLengths().size())
      continue;
    ir::Value *end =
        code.loadAt(table, builder.CreateAdd(sequence, builder.getInt64(1)));
    code.lengths[index] = builder.CreateSub(end, begins.back());
  }
  for (mlir::Value value : values) {
    if (host::isForAll(value))
      continue;
    if (auto found = recalled.find(host::sourceOf(value));
        found != recalled.end()) {
      host::Address address = caches.addressOf(sequence, found->second);
      code.addresses[value] = address.at;
      code.blocks[value] = address.parts;
      continue;
    }
    auto size = code.sizes.of(value.getType());
    ir::Value *before =
        builder.CreateMul(size ? begins[*size] : sequence,
                          builder.getInt64(xf::bytesOfOne(value)));
    code.addresses[value] = builder.CreateGEP(
        builder.getInt8Ty(), allAddresses.lookup(value), before);
  }
  body();
  code.lengths = std::move(allLengths);
  code.addresses = std::move(allAddresses);
}
