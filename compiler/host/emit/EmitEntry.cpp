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
#include "compiler/host/emit/EmitPerSequence.h"
#include "compiler/host/emit/EmitScan.h"
#include "compiler/host/emit/EmitTransfer.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/Labels.h"
#include "dialect/weights/StoredValues.h"
#include "dialect/weights/Weights.h"
#include "runtime/program/Program.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

using namespace transfold;
namespace ir = llvm;

namespace {

using host::arenaAlignment;

/// Emits the two functions of one entry, operation by operation in program
/// order.
class Emitter : public host::EntryCode {
public:
  Emitter(xf::EntryOp entry, ir::Module &module)
      : EntryCode(entry, module), context(module.getContext()) {}

  /// The arena's size comes first: it needs no address of a value.
  host::EmittedEntry emit() {
    host::EmittedEntry emitted;
    emitted.arenaBytes = emitArenaBytes();
    emitted.run = emitRun();
    return emitted;
  }

private:
  /// A function of the module that only the program's tables refer to.
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
      // With the alignment - 1 that was added above this rounds up.
      size = builder.CreateAnd(size, builder.getInt64(-arenaAlignment));
      offsets.push_back(builder.CreateAdd(offsets.back(), size));
    }
    return offsets;
  }

  /// The function that returns the bytes of the arena for a number of sequences
  /// and their rows. The runtime calls it before it allocates.
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

  /// The function that runs the entry on a frame; it returns 0, or the code of
  /// the first call that failed.
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
    perSequence.emplace(*this, *calls, cacheEmitter);
    scans.emplace(
        *this, *perSequence,
        [this](xf::BufferAttr buffer) { return bufferAddress(buffer); },
        [this](mlir::Block &block) { emitBlock(block); });
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

  /// The address of a buffer of the plan.
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

  /// Emits the operations of an entry or of a layer loop. PlanMemory has
  /// verified that there are no others.
  void emitBlock(mlir::Block &block) {
    for (mlir::Operation &op : block.without_terminator()) {
      if (auto weight = mlir::dyn_cast<xf::WeightOp>(op))
        emitWeight(weight);
      else if (auto view = mlir::dyn_cast<xf::RearrangeOp>(op))
        emitView(view);
      else if (auto transfer = mlir::dyn_cast<xf::TransferOp>(op))
        transfers.emit(transfer, bufferAddress(*transfer.getBuffer()));
      else if (auto launch = mlir::dyn_cast<xf::LaunchOp>(op))
        emitLaunches(launch);
      else if (auto keep = mlir::dyn_cast<xf::CacheWriteOp>(op))
        emitKeep(keep);
      else if (auto recall = mlir::dyn_cast<xf::CacheReadOp>(op))
        perSequence->recall(recall.getResult(), memberOf(recall));
      else if (auto scan = mlir::dyn_cast<xf::ScanOp>(op))
        scans->emit(scan);
      else
        emitLayers(mlir::cast<xf::LayersOp>(op));
    }
  }

  /// A view has the address of its input.
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

  /// The address of a member of a weight, from the offset and the stride that
  /// placing weights determined.
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

  /// Copies rows to the caches, unless the launch has written them there.
  void emitKeep(xf::CacheWriteOp keep) {
    auto length = lengthOf(keep.getValue().getType());
    if (keep.getByLaunch() && !length)
      return; // a state, which the launch of each sequence has written
    auto copy = [&] {
      cacheEmitter.emitKeep(memberOf(keep), sequences,
                            {.values = EntryCode::addressOf(keep.getValue()),
                             .rowBytes = xf::bytesOfOne(keep.getValue()),
                             .offsets = length ? offsets[*length] : nullptr,
                             .first = firstOf(keep)},
                            keep.getEndsCopies());
    };
    if (keep.getByLaunch())
      host::emitIf(builder, builder.CreateNot(isOneSequence()), copy);
    else
      copy();
  }

  /// Whether the batch consists of one sequence. Only then are the rows of a
  /// result contiguous in a cache.
  ir::Value *isOneSequence() {
    return builder.CreateICmpEQ(sequences, builder.getInt64(1));
  }

  /// The cache write of a value, or of a view of it, that the launch of the
  /// value does by itself (xf-place-cache-writes); null otherwise.
  static xf::CacheWriteOp writeByLaunch(mlir::Value value) {
    for (mlir::Operation *user : value.getUsers()) {
      auto write = mlir::dyn_cast<xf::CacheWriteOp>(user);
      if (auto view = mlir::dyn_cast<xf::RearrangeOp>(user))
        write = writeByLaunch(view.getResult());
      if (write && write.getByLaunch())
        return write;
    }
    return {};
  }

  /// Determines where the result of a launch is written: for one sequence on a
  /// device directly to the cache that keeps it, if there is one; otherwise to
  /// its buffer.
  void placeResult(xf::LaunchOp launch) {
    mlir::Value result = launch.getResult();
    ir::Value *address = scans->placeOf(result);
    if (!address)
      address = bufferAddress(*launch.getBuffer());
    if (xf::CacheWriteOp keep = writeByLaunch(result)) {
      host::Address row =
          cacheEmitter.nextRow(builder.getInt64(0), memberOf(keep),
                               firstOf(keep), xf::bytesOfOne(keep.getValue()));
      ir::Value *isOne = isOneSequence();
      address = builder.CreateSelect(isOne, row.at, address, "made");
      blocks[result] = builder.CreateSelect(isOne, row.parts, partsOfArena);
    }
    addresses[result] = address;
    placeStates(launch);
  }

  /// Determines where the states of a recurrence are written: to the cache, if
  /// it is the only reader, and otherwise to a buffer.
  void placeStates(xf::LaunchOp launch) {
    for (auto [number, state] : llvm::enumerate(launch.getStates())) {
      auto buffers = launch.getStateBuffers();
      addresses[state] =
          bufferAddress(mlir::cast<xf::BufferAttr>((*buffers)[number]));
      if (xf::CacheWriteOp write = writeByLaunch(state))
        perSequence->recall(state, memberOf(write));
    }
  }

  /// A loop over the layers. Carried values need no code: the plan gives the
  /// initial, the carried and the yielded value one buffer.
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

  /// Emits one launch that no other one is joined to.
  void emitLaunch(xf::LaunchOp launch) {
    placeResult(launch);
    bindChosenRows(launch);
    if (!launch.getPerSequence())
      return emitUnlessEmpty(launch);
    perSequence->emit(launch);
  }

  ir::LLVMContext &context;
  ir::SmallVector<ir::Value *> slots;
  ir::Value *weights = nullptr, *arena = nullptr, *arguments = nullptr,
            *results = nullptr;
  host::CacheEmitter cacheEmitter{*this};
  host::TransferEmitter transfers{*this};
  std::optional<host::CallEmitter> calls;
  std::optional<host::PerSequenceEmitter> perSequence;
  std::optional<host::ScanEmitter> scans;
  /// The counts of chosen rows, by their length.
  ir::DenseMap<mlir::Attribute, ir::Value *> chosen;
};

} // namespace

host::EmittedEntry host::emitEntry(xf::EntryOp entry, llvm::Module &module) {
  return Emitter(entry, module).emit();
}
