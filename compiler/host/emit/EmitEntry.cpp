// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits an entry as straight-line code: each launch fills one halide_buffer_t
// for each operand and calls the kernel; a layer loop is a loop. Values are
// addresses; the plan of the arena (slots) and of the weights (offsets) is in
// the IR.
//
// For a device, an address is an offset into the weights, the arena or the
// memory of a sequence: the frame's `weights` and `arena` are null there.

#include "compiler/host/emit/EmitEntry.h"

#include "compiler/host/emit/ControlFlow.h"
#include "compiler/host/emit/EmitCaches.h"
#include "compiler/host/emit/EmitCall.h"
#include "compiler/host/plan/CacheWriteOfResult.h"
#include "compiler/host/plan/ChosenRows.h"
#include "compiler/host/plan/LengthProducts.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/Labels.h"
#include "dialect/weights/StoredValues.h"
#include "dialect/weights/Weights.h"
#include "runtime/kernels/PerSequenceCalls.h"
#include "runtime/program/Program.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

using namespace transfold;
namespace ir = llvm;

namespace {

using host::arenaAlignment;

class Emitter : public host::EntryCode {
public:
  Emitter(xf::EntryOp entry, ir::Module &module)
      : EntryCode(entry, module), entry(entry), context(module.getContext()),
        sizes(entry, host::sourcesOfLengths(entry)) {}

  host::EmittedEntry emit() {
    host::EmittedEntry emitted;
    emitted.arenaBytes = emitArenaBytes();
    emitted.run = emitRun();
    return emitted;
  }

private:
  ir::Function *declare(const ir::Twine &name, ir::Type *result,
                        ir::ArrayRef<ir::Type *> parameters) {
    auto *type = ir::FunctionType::get(result, parameters, false);
    return ir::Function::Create(type, ir::GlobalValue::InternalLinkage,
                                name + ir::Twine(entry.getSymName().str()),
                                module);
  }

  /// The name of a length, or of a product of lengths.
  ir::StringRef nameOf(size_t index) {
    return index < lengthNames.size() ? lengthNames[index].getValue() : "pairs";
  }

  ir::Value *loadAt(ir::Value *array, ir::Value *index) {
    return builder.CreateLoad(i64,
                              builder.CreateInBoundsGEP(i64, array, index));
  }

  //===--------------------------------------------------------------------===//
  // The arena
  //===--------------------------------------------------------------------===//

  /// The offset of each slot, and of the end.
  ir::SmallVector<ir::Value *> slotOffsets() {
    ir::SmallVector<ir::Value *> offsets = {builder.getInt64(0)};
    for (mlir::Attribute slot : entry.getSlots()->getValue()) {
      auto bytes = mlir::cast<mlir::DenseI64ArrayAttr>(slot).asArrayRef();
      ir::Value *size = builder.CreateAdd(
          builder.CreateMul(sequences, builder.getInt64(bytes[0])),
          builder.getInt64(arenaAlignment - 1));
      for (auto [rows, coefficient] : llvm::zip(totals, bytes.drop_front()))
        size = builder.CreateAdd(
            size, builder.CreateMul(rows, builder.getInt64(coefficient)));
      size = builder.CreateAnd(size, builder.getInt64(-arenaAlignment));
      offsets.push_back(builder.CreateAdd(offsets.back(), size));
    }
    return offsets;
  }

  ir::Function *emitArenaBytes() {
    ir::Function *function = declare("transfold_arena_", i64, {i64, pointer});
    builder.SetInsertPoint(ir::BasicBlock::Create(context, "", function));
    sequences = function->getArg(0);
    totals.clear();
    for (size_t index = 0; index < sizes.count(); ++index)
      totals.push_back(load(i64, function->getArg(1), index, nameOf(index)));
    builder.CreateRet(slotOffsets().back());
    return function;
  }

  //===--------------------------------------------------------------------===//
  // The entry
  //===--------------------------------------------------------------------===//

  ir::Function *emitRun() {
    function = declare("transfold_entry_", i32, {pointer});
    builder.SetInsertPoint(ir::BasicBlock::Create(context, "entry", function));
    auto field = [&](ir::Type *type, size_t offset, ir::StringRef name) {
      return loadField(type, function->getArg(0), offset, name);
    };
    weights = field(pointer, offsetof(transfold_frame, weights), "weights");
    arena = field(pointer, offsetof(transfold_frame, arena), "arena");
    arguments =
        field(pointer, offsetof(transfold_frame, arguments), "arguments");
    results = field(pointer, offsetof(transfold_frame, results), "results");
    sequences = field(i64, offsetof(transfold_frame, sequences), "sequences");
    ir::Value *tables =
        field(pointer, offsetof(transfold_frame, offsets), "offsets");
    totals.clear();
    // The last element of a table of offsets is the total of rows of all
    // sequences.
    for (size_t index = 0; index < sizes.count(); ++index) {
      offsets.push_back(load(pointer, tables, index));
      totals.push_back(loadAt(offsets.back(), sequences));
      totals.back()->setName(nameOf(index));
    }
    lengths.assign(totals.begin(), totals.begin() + lengthNames.size());
    calls.emplace(*this);
    kernels = field(pointer, offsetof(transfold_frame, kernels), "kernels");
    device = field(pointer, offsetof(transfold_frame, device), "device");
    watch = field(pointer, offsetof(transfold_frame, watch), "watch");
    together = field(pointer, offsetof(transfold_frame, together), "together");
    each = field(pointer, offsetof(transfold_frame, each), "each");
    caches = field(pointer, offsetof(transfold_frame, caches), "caches");
    if (onDevice) {
      partsOfWeights = loadField(pointer, device,
                                 offsetof(transfold_device, weights), "parts");
      partsOfArena = loadField(pointer, device,
                               offsetof(transfold_device, arena), "parts");
    }
    slots = slotOffsets();

    mlir::Block &body = entry.getBody().front();
    for (mlir::BlockArgument argument : body.getArguments())
      addresses[argument] = load(pointer, arguments, argument.getArgNumber());
    emitBlock(body);
    builder.CreateRet(builder.getInt32(0));
    return function;
  }

  ir::Value *bufferAddress(xf::BufferAttr buffer) {
    switch (buffer.getKind()) {
    case xf::BufferKind::Argument:
      return load(pointer, arguments, buffer.getIndex());
    case xf::BufferKind::Result:
      return load(pointer, results, buffer.getIndex());
    case xf::BufferKind::Cache: // recalled, never the result of a launch
    case xf::BufferKind::Arena:
      return builder.CreateGEP(builder.getInt8Ty(), arena,
                               slots[buffer.getIndex()]);
    }
    llvm_unreachable("all kinds are above");
  }

  void emitBlock(mlir::Block &block) {
    for (mlir::Operation &op : block.without_terminator()) {
      if (auto weight = mlir::dyn_cast<xf::WeightOp>(op))
        emitWeight(weight);
      else if (auto view = mlir::dyn_cast<xf::RearrangeOp>(op))
        emitView(view);
      else if (auto transfer = mlir::dyn_cast<xf::TransferOp>(op))
        emitTransfer(transfer);
      else if (auto launch = mlir::dyn_cast<xf::LaunchOp>(op))
        emitLaunches(launch);
      else if (auto keep = mlir::dyn_cast<xf::CacheWriteOp>(op))
        emitKeep(keep);
      else if (auto recall = mlir::dyn_cast<xf::CacheReadOp>(op))
        kept[recall.getResult()] = memberOf(recall);
      else
        emitLayers(mlir::cast<xf::LayersOp>(op));
    }
  }

  void emitView(xf::RearrangeOp view) {
    addresses[view.getResult()] = addresses.lookup(view.getInput());
    if (ir::Value *block = blocks.lookup(view.getInput()))
      blocks[view.getResult()] = block;
  }

  /// The linear index of `indices` within `extents`, the last index fastest.
  ir::Value *memberOf(mlir::OperandRange indices,
                      ir::ArrayRef<int64_t> extents) {
    ir::Value *member = builder.getInt64(0);
    for (auto [index, extent] : llvm::zip(indices, extents))
      member =
          builder.CreateAdd(builder.CreateMul(member, builder.getInt64(extent)),
                            addresses.lookup(index));
    return member;
  }

  void emitWeight(xf::WeightOp weight) {
    xf::StoredOp stored = xf::storedOf(weight);
    ir::Value *member = memberOf(weight.getIndices(), stored.getExtents());
    ir::Value *offset = builder.CreateAdd(
        builder.getInt64(stored.getPlace()->getOffset()),
        builder.CreateMul(member,
                          builder.getInt64(stored.getPlace()->getStride())));
    addresses[weight.getResult()] =
        builder.CreateGEP(builder.getInt8Ty(), weights, offset,
                          ir::Twine(stored.getSymName().str()));
  }

  /// Emits a copy if source and target are different memory.
  void emitTransfer(xf::TransferOp transfer) {
    ir::Value *source = addresses.lookup(transfer.getInput());
    ir::Value *target = bufferAddress(*transfer.getBuffer());
    addresses[transfer.getResult()] = target;
    if (source == target || host::isInPlace(transfer))
      return;
    auto size = sizes.of(transfer.getInput().getType());
    ir::Value *bytes =
        builder.CreateMul(builder.getInt64(xf::bytesOfOne(transfer.getInput())),
                          size ? totals[*size] : sequences);
    bool fromHost = isOnHost(transfer.getInput());
    bool toHost = host::isHost(transfer.getSpace());
    if (isOfLikeliest(transfer))
      return emitFetch(source, target, totals[*size], bytes,
                       xf::countNumbers(transfer.getType()));
    if (fromHost == toHost)
      emitCopy({target, partsOfArena}, {source, partsOfArena}, bytes,
               ir::MaybeAlign(arenaAlignment));
    else if (fromHost)
      callDevice(offsetof(transfold_device, upload),
                 {target, source, bytes,
                  builder.getInt64(isUploadedWithNext(transfer))});
    else
      callDevice(offsetof(transfold_device, download), {target, source, bytes});
  }

  bool isUpload(mlir::Operation *op) {
    auto transfer = mlir::dyn_cast_or_null<xf::TransferOp>(op);
    return transfer && isOnHost(transfer.getInput()) &&
           !host::isHost(transfer.getSpace());
  }

  /// Whether only uploads precede this one, and another one follows: the arena
  /// is still unused then.
  bool isUploadedWithNext(xf::TransferOp transfer) {
    mlir::Operation *before = transfer->getPrevNode();
    while (before && isUpload(before))
      before = before->getPrevNode();
    return !before && transfer->getParentOp() == entry &&
           isUpload(transfer->getNextNode());
  }

  /// Whether the host may request the largest elements of each row instead.
  bool isOfLikeliest(xf::TransferOp transfer) {
    xf::BufferAttr buffer = *transfer.getBuffer();
    auto shape = xf::getShape(transfer.getType());
    return onDevice && entry.getStage() == xf::Stage::Step &&
           buffer.getKind() == xf::BufferKind::Result &&
           buffer.getIndex() == 0 && !isOnHost(transfer.getInput()) &&
           shape.size() == 2 && !xf::getNumber(shape[0]) &&
           xf::bytesOfOne(transfer.getInput()) ==
               xf::getNumber(shape[1]).value_or(0) * int64_t{sizeof(float)};
  }

  /// Downloads the rows of the first result, or only the indices of their
  /// largest elements.
  void emitFetch(ir::Value *source, ir::Value *target, ir::Value *rows,
                 ir::Value *bytes, int64_t numbers) {
    ir::Value *places = loadField(pointer, function->getArg(0),
                                  offsetof(transfold_frame, argmax));
    ir::Value *isWhole = builder.CreateIsNull(places);
    host::emitIf(builder, isWhole, [&] {
      callDevice(offsetof(transfold_device, download), {target, source, bytes});
    });
    host::emitIf(builder, builder.CreateNot(isWhole), [&] {
      callDevice(offsetof(transfold_device, largest),
                 {places, target, source, rows, builder.getInt64(numbers)});
    });
  }

  /// Arguments are in the host's memory; all other values are in the kernels'
  /// memory.
  bool isOnHost(mlir::Value value) {
    return !onDevice || host::isArgument(value, entry);
  }

  //===--------------------------------------------------------------------===//
  // Caches
  //===--------------------------------------------------------------------===//

  /// The member of a cache that `op` reads or writes.
  template <typename Op> host::CacheMember memberOf(Op op) {
    auto cache = mlir::SymbolTable::lookupNearestSymbolFrom<xf::CacheOp>(
        op, op.getCacheAttr());
    return {host::CacheEmitter::numberOf(cache),
            memberOf(op.getIndices(), cache.getExtents())};
  }

  /// The positions of the next rows of all sequences; null: 0. The host must
  /// know these, on a device too.
  ir::Value *firstOf(xf::CacheWriteOp keep) {
    mlir::Value first = keep.getFirst();
    if (auto moved = first ? first.getDefiningOp<xf::TransferOp>() : nullptr)
      first = moved.getInput();
    return first ? addresses.lookup(first) : nullptr;
  }

  void emitKeep(xf::CacheWriteOp keep) {
    auto length = lengthOf(keep.getValue().getType());
    auto copy = [&] {
      cacheEmitter.emitKeep(memberOf(keep), sequences,
                            {.values = EntryCode::addressOf(keep.getValue()),
                             .rowBytes = xf::bytesOfOne(keep.getValue()),
                             .offsets = length ? offsets[*length] : nullptr,
                             .first = firstOf(keep)},
                            isLastOfKeeps(keep));
    };
    if (madeInCache.contains(keep))
      host::emitIf(builder, builder.CreateNot(isOneSequence()), copy);
    else
      copy();
  }

  /// Whether no other keep follows that copies under the same condition: on a
  /// device the copies of consecutive keeps start together.
  bool isLastOfKeeps(xf::CacheWriteOp keep) {
    mlir::Operation *next = keep->getNextNode();
    while (mlir::isa<xf::CacheReadOp, xf::RearrangeOp, xf::WeightOp>(next))
      next = next->getNextNode();
    return !mlir::isa<xf::CacheWriteOp>(next) ||
           (madeInCache.contains(next) && !madeInCache.contains(keep));
  }

  ir::Value *isOneSequence() {
    return builder.CreateICmpEQ(sequences, builder.getInt64(1));
  }

  /// Determines where the result of a launch is written: for one sequence on a
  /// device directly to the cache that keeps it, if there is one; otherwise to
  /// its buffer.
  void placeResult(xf::LaunchOp launch) {
    mlir::Value result = launch.getResult();
    ir::Value *address = bufferAddress(*launch.getBuffer());
    xf::CacheWriteOp keep =
        onDevice ? host::keepOfResult(launch) : xf::CacheWriteOp();
    if (keep) {
      host::Address row =
          cacheEmitter.nextRow(builder.getInt64(0), memberOf(keep),
                               firstOf(keep), xf::bytesOfOne(keep.getValue()));
      ir::Value *isOne = isOneSequence();
      address = builder.CreateSelect(isOne, row.at, address, "made");
      blocks[result] = builder.CreateSelect(isOne, row.parts, partsOfArena);
      madeInCache.insert(keep);
    }
    addresses[result] = address;
  }

  void emitLayers(xf::LayersOp layers) {
    for (auto [init, carried, result] :
         llvm::zip(layers.getInits(), layers.getCarried(), layers.getResults()))
      addresses[carried] = addresses[result] = addresses.lookup(init);
    host::emitLoop(builder, "layer", builder.getInt64(layers.getCount()),
                   [&](ir::Value *layer) {
                     addresses[layers.getLayer()] = builder.CreateAdd(
                         layer, builder.getInt64(layers.getBegin()));
                     emitBlock(layers.getBody().front());
                   });
  }

  //===--------------------------------------------------------------------===//
  // Launches
  //===--------------------------------------------------------------------===//

  /// Reads the number of rows that a launch picks, unless it is known. The
  /// length is at least 1, so that no kernel is called with an empty buffer.
  void bindChosenRows(xf::LaunchOp launch) {
    mlir::Value ranks = launch.getRanks();
    auto shape = xf::getShape(launch.getResult().getType());
    if (!ranks || chosen.contains(shape[0]))
      return;
    ir::Value *last = builder.CreateSub(lengths[*lengthOf(ranks.getType())],
                                        builder.getInt64(1));
    ir::Type *real = builder.getFloatTy();
    ir::Value *place =
        builder.CreateInBoundsGEP(real, addresses.lookup(ranks), last);
    ir::Value *count =
        builder.CreateFPToSI(builder.CreateLoad(real, place), i64, "chosen");
    chosen[shape[0]] = count;
    lengthNames.push_back(mlir::cast<mlir::StringAttr>(shape[0]));
    lengths.push_back(builder.CreateBinaryIntrinsic(ir::Intrinsic::smax, count,
                                                    builder.getInt64(1)));
  }

  /// Skips the launch if no rows were chosen.
  void emitUnlessEmpty(xf::LaunchOp launch) {
    auto shape = xf::getShape(launch.getResult().getType());
    ir::Value *count = shape.empty() ? nullptr : chosen.lookup(shape[0]);
    if (!count)
      return calls->emitCall(launch);
    host::emitIf(builder, builder.CreateIsNotNull(count),
                 [&] { calls->emitCall(launch); });
  }

  /// Emits a launch together with those that are joined to it; the latter are
  /// skipped when they are visited.
  void emitLaunches(xf::LaunchOp first) {
    if (first.getJoined())
      return;
    ir::SmallVector<xf::LaunchOp> group = {first};
    for (mlir::Operation *next = first->getNextNode();;
         next = next->getNextNode()) {
      auto launch = mlir::dyn_cast<xf::LaunchOp>(next);
      if (!launch || !launch.getJoined())
        break;
      group.push_back(launch);
    }
    if (group.size() == 1)
      return emitLaunch(first);
    for (xf::LaunchOp launch : group)
      placeResult(launch);
    calls->emitCalls(group);
  }

  void emitLaunch(xf::LaunchOp launch) {
    placeResult(launch);
    bindChosenRows(launch);
    if (!launch.getPerSequence())
      return emitUnlessEmpty(launch);
    if (canRunEach(launch)) {
      ir::Value *isEach = builder.CreateAnd(builder.CreateIsNotNull(each),
                                            builder.CreateIsNull(watch));
      host::emitIf(builder, isEach, [&] { emitEach(launch); });
      host::emitIf(builder, builder.CreateNot(isEach),
                   [&] { emitForEach(launch); });
    } else {
      emitForEach(launch);
    }
  }

  /// Runs one sequence after the other. On a device their kernels run
  /// concurrently: each reads and writes only rows of its own sequence.
  void emitForEach(xf::LaunchOp launch) {
    ir::Value *areSeveral =
        builder.CreateICmpSGT(sequences, builder.getInt64(1));
    auto runBeside = [&](ir::Value *lane) {
      if (onDevice)
        host::emitIf(builder, areSeveral, [&] {
          callDevice(offsetof(transfold_device, beside), {lane});
        });
    };
    host::emitLoop(builder, "sequence", sequences, [&](ir::Value *sequence) {
      runBeside(builder.CreateAdd(sequence, builder.getInt64(1)));
      withSequence(launch, sequence, [&] { calls->emitCall(launch); });
    });
    runBeside(builder.getInt64(0));
  }

  /// Decode steps, in which each sequence has few rows and hence little work.
  bool canRunEach(xf::LaunchOp launch) {
    return !onDevice && entry.getStage() == xf::Stage::Step &&
           lengthOf(launch.getResult().getType());
  }

  /// for group in 0 … ⌈sequences / 8⌉: collects the calls of sequences whose
  /// launch is short, which then run each on one thread; each of the others is
  /// run by all threads.
  void emitEach(xf::LaunchOp launch) {
    constexpr unsigned most = runtime::mostCallsOfEach;
    ir::Value *groups = builder.CreateUDiv(
        builder.CreateAdd(sequences, builder.getInt64(most - 1)),
        builder.getInt64(most));
    host::emitLoop(builder, "group", groups, [&](ir::Value *group) {
      ir::Value *first = builder.CreateMul(group, builder.getInt64(most));
      for (unsigned place = 0; place < most; ++place) {
        ir::Value *sequence = builder.CreateAdd(first, builder.getInt64(place));
        calls->forgetEach(launch, place);
        host::emitIf(builder, builder.CreateICmpSLT(sequence, sequences), [&] {
          withSequence(launch, sequence, [&] {
            ir::Value *isShort = calls->isShort(launch);
            host::emitIf(builder, isShort,
                         [&] { calls->prepareEach(launch, place); });
            host::emitIf(builder, builder.CreateNot(isShort),
                         [&] { calls->emitCall(launch); });
          });
        });
      }
      calls->emitEach(launch, most);
    });
  }

  /// Within `body`, lengths and addresses are those of a single sequence.
  void withSequence(xf::LaunchOp launch, ir::Value *sequence,
                    ir::function_ref<void()> body) {
    auto allLengths = lengths;
    auto allAddresses = addresses;
    ir::SmallVector<ir::Value *> begins;
    for (auto [index, table] : llvm::enumerate(offsets)) {
      begins.push_back(loadAt(table, sequence));
      if (index >= entry.getLengths().size())
        continue;
      ir::Value *end =
          loadAt(table, builder.CreateAdd(sequence, builder.getInt64(1)));
      lengths[index] = builder.CreateSub(end, begins.back());
    }
    llvm::SmallSetVector<mlir::Value, 8> values(launch.getOperands().begin(),
                                                launch.getOperands().end());
    values.insert(launch.getResult());
    for (mlir::Value value : values) {
      if (host::isForAll(value))
        continue;
      if (auto found = kept.find(host::sourceOf(value)); found != kept.end()) {
        host::Address address = cacheEmitter.addressOf(sequence, found->second);
        addresses[value] = address.at;
        blocks[value] = address.parts;
        continue;
      }
      auto size = sizes.of(value.getType());
      ir::Value *before =
          builder.CreateMul(size ? begins[*size] : sequence,
                            builder.getInt64(xf::bytesOfOne(value)));
      addresses[value] = builder.CreateGEP(builder.getInt8Ty(),
                                           allAddresses.lookup(value), before);
    }
    body();
    lengths = std::move(allLengths);
    addresses = std::move(allAddresses);
  }

  xf::EntryOp entry;
  ir::LLVMContext &context;
  host::LengthProducts sizes;
  /// The totals over all sequences, of lengths and products of lengths.
  ir::SmallVector<ir::Value *> totals;
  ir::SmallVector<ir::Value *> offsets, slots;
  ir::Value *sequences = nullptr;
  ir::Value *weights = nullptr, *arena = nullptr, *arguments = nullptr,
            *results = nullptr;
  host::CacheEmitter cacheEmitter{*this};
  std::optional<host::CallEmitter> calls;
  /// The recalled members of caches.
  ir::DenseMap<mlir::Value, host::CacheMember> kept;
  /// The keeps whose rows a launch writes directly if there is one sequence.
  ir::DenseSet<mlir::Operation *> madeInCache;
  /// The counts of chosen rows, by their length.
  ir::DenseMap<mlir::Attribute, ir::Value *> chosen;
};

} // namespace

host::EmittedEntry host::emitEntry(xf::EntryOp entry, llvm::Module &module) {
  return Emitter(entry, module).emit();
}
