// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for sequence in 0 … sequences
//     for position in the rows of the sequence
//       the launches of the region
//       copies of the rows that the region yields
//
// A state that a launch computes has two places in memory, which change their
// roles after each position.

#include "compiler/host/emit/EmitScan.h"

#include "compiler/host/emit/ControlFlow.h"
#include "dialect/Labels.h"
#include "dialect/weights/StoredValues.h"

#include <llvm/ADT/SetVector.h>

using namespace transfold;
namespace ir = llvm;
using transfold::host::ScanEmitter;

void ScanEmitter::emit(xf::ScanOp scan) {
  auto &addresses = code.addresses;
  for (auto [init, state, last] :
       llvm::zip(scan.getInits(), scan.getStates(), scan.getLastStates()))
    addresses[state] = addresses[last] = addresses.lookup(init);
  for (auto [result, buffer] :
       llvm::zip(scan.getRowResults(),
                 scan.getBuffers()->getAsRange<xf::BufferAttr>()))
    addresses[result] = bufferAddress(buffer);
  const EntryCode::Addresses outside = addresses;
  auto pairs = statesInPairs(scan);
  host::emitLoop(builder, "sequence", code.sequences, [&](ir::Value *sequence) {
    perSequence.withSequence(valuesOfSequence(scan), sequence, [&] {
      emitPositions(scan, sequence, pairs, outside);
    });
  });
  addresses = outside;
  placed.clear();
}

ir::SmallVector<ScanEmitter::StatePair>
ScanEmitter::statesInPairs(xf::ScanOp scan) {
  ir::SmallVector<StatePair> pairs;
  auto variable = [&] {
    ir::BasicBlock &entry = code.function->getEntryBlock();
    ir::IRBuilder<> atBegin(&entry, entry.begin());
    return atBegin.CreateAlloca(code.pointer);
  };
  for (auto [state, next] : llvm::zip(scan.getStates(), scan.getNextStates())) {
    auto launch = next.getDefiningOp<xf::LaunchOp>();
    if (launch && llvm::count(scan.getNextStates(), next) == 1)
      pairs.push_back({state, next, bufferAddress(*launch.getBuffer()),
                       variable(), variable()});
  }
  return pairs;
}

ir::SmallVector<mlir::Value> ScanEmitter::valuesOfSequence(xf::ScanOp scan) {
  llvm::SmallSetVector<mlir::Value, 8> values;
  values.insert(scan.getStates().begin(), scan.getStates().end());
  scan.getBody().walk([&](mlir::Operation *op) {
    for (mlir::Value operand : op->getOperands())
      if (operand.getParentRegion() != &scan.getBody() &&
          (code.addresses.contains(operand) || perSequence.isRecalled(operand)))
        values.insert(operand);
  });
  return values.takeVector();
}

void ScanEmitter::emitPositions(xf::ScanOp scan, ir::Value *sequence,
                                ir::ArrayRef<StatePair> pairs,
                                const EntryCode::Addresses &outside) {
  ir::Value *rows = code.offsets[*code.lengthOf(scan.getRows()[0].getType())];
  for (const StatePair &pair : pairs) {
    builder.CreateStore(code.addresses.lookup(pair.state), pair.current);
    builder.CreateStore(pair.other, pair.next);
  }
  ir::Value *one = builder.getInt64(1);
  ir::Value *begin = code.loadAt(rows, sequence);
  ir::Value *end = code.loadAt(rows, builder.CreateAdd(sequence, one));
  const auto ofSequence = code.addresses;
  host::emitLoop(
      builder, "step", builder.CreateSub(end, begin), [&](ir::Value *step) {
        ir::Value *last = builder.CreateSub(end, one);
        emitPosition(scan,
                     scan.getBackwards() ? builder.CreateSub(last, step)
                                         : builder.CreateAdd(begin, step),
                     pairs, outside);
      });
  code.addresses = ofSequence;
  for (const StatePair &pair : pairs)
    finish(pair);
}

void ScanEmitter::emitPosition(xf::ScanOp scan, ir::Value *position,
                               ir::ArrayRef<StatePair> pairs,
                               const EntryCode::Addresses &outside) {
  for (const StatePair &pair : pairs) {
    code.addresses[pair.state] = builder.CreateLoad(code.pointer, pair.current);
    placed[pair.result] = builder.CreateLoad(code.pointer, pair.next);
  }
  for (auto [row, rows] : llvm::zip(scan.getRowArguments(), scan.getRows()))
    code.addresses[row] = entryOf(outside.lookup(rows), position, rows);
  emitBlock(scan.getBody().front());
  copyYielded(scan, position);
  for (const StatePair &pair : pairs) {
    builder.CreateStore(placed.lookup(pair.result), pair.current);
    builder.CreateStore(code.addresses.lookup(pair.state), pair.next);
  }
}

void ScanEmitter::copyYielded(xf::ScanOp scan, ir::Value *position) {
  for (auto [result, row] :
       llvm::zip(scan.getRowResults(), scan.getYieldedRows())) {
    Address to = code.addressOf(result);
    to.at = entryOf(to.at, position, result);
    copy(to, code.addressOf(row), row);
  }
  for (auto [state, next] : llvm::zip(scan.getStates(), scan.getNextStates()))
    if (state != next && !placed.contains(next))
      copy(code.addressOf(state), code.addressOf(next), next);
}

void ScanEmitter::finish(const StatePair &pair) {
  ir::Value *last = builder.CreateLoad(code.pointer, pair.current);
  Address wanted = code.addressOf(pair.state);
  host::emitIf(builder, builder.CreateICmpNE(last, wanted.at),
               [&] { copy(wanted, {last, wanted.parts}, pair.state); });
}

void ScanEmitter::copy(const Address &to, const Address &from,
                       mlir::Value value) {
  code.emitCopy(to, from, builder.getInt64(xf::bytesOfOne(value)),
                ir::MaybeAlign(4));
}

ir::Value *ScanEmitter::entryOf(ir::Value *base, ir::Value *index,
                                mlir::Value value) {
  return builder.CreateGEP(
      builder.getInt8Ty(), base,
      builder.CreateMul(index, builder.getInt64(xf::bytesOfOne(value))));
}
