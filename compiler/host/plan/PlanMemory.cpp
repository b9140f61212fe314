// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-plan-memory: assigns a buffer to every value.
//
// Before:
//   %a = xf.launch @f(%x);  %b = xf.launch @g(%a);  %c = xf.launch @h(%b)
// After:
//   %a = xf.launch @f(%x) {buffer = #xf.buffer<"cpu", arena, 0>}
//   %b = xf.launch @g(%a) {buffer = #xf.buffer<"cpu", arena, 1>}
//   %c = xf.launch @h(%b) {buffer = #xf.buffer<"cpu", arena, 0>}
//
// Values that must or may share a buffer are coalesced first: a transfer with
// its source, a carried value with its initial and yielded values, a result
// with the caller's memory. Two values are coalesced only if their live ranges
// do not overlap; otherwise the transfer copies. Then slots are assigned in
// program order. Sizes are polynomials of the number of sequences and of their
// rows (coefficients of 1, n, …, n · m), so the plan is made once for all
// batches: each coefficient of a slot is the maximum over its users.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/ChosenRows.h"
#include "compiler/host/plan/LengthProducts.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/Labels.h"
#include "dialect/legal/Legality.h"
#include "dialect/weights/StoredValues.h"

#include <llvm/ADT/MapVector.h>

namespace transfold::host {
#define GEN_PASS_DEF_PLANMEMORY
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

/// Bytes as coefficients of the number of sequences (for values without a
/// length, which exist once per sequence), of each length and of products of
/// lengths.
using Bytes = SmallVector<int64_t>;

/// One buffer: its values, and the time from their first to their last use.
struct Buffer {
  unsigned begin = ~0u, end = 0;
  Bytes bytes;
  xf::BufferAttr place; // argument or result; null: the arena
  bool joinedAway = false;
  bool shared = false; // contains results of more than one operation
  size_t order = 0;    // order of creation: breaks ties
};

/// The plan of one entry.
class Planner {
public:
  explicit Planner(xf::EntryOp entry)
      : entry(entry), sources(host::sourcesOfLengths(entry)),
        sizes(entry, sources) {}

  unsigned slots = 0, copies = 0;

  /// Plans the buffers of all values; emits an error if a precondition fails.
  LogicalResult run() {
    auto space = host::memorySpaceOf(entry);
    if (failed(space) || failed(check()))
      return failure();
    device = *space;
    if (!sources.empty() && !host::isHost(device))
      return entry.emitError("rows are chosen by the host, but the kernels "
                             "work in another memory");
    number(entry.getBody().front());

    Block &body = entry.getBody().front();
    for (BlockArgument argument : body.getArguments())
      define(argument, 0)->place =
          place(xf::BufferKind::Argument, argument.getArgNumber());
    createBuffers(body);
    joinTransfers();
    joinLoops();
    joinResults(body.getTerminator());
    assign();
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // Preconditions of the plan: kernels are formed, transfers are placed
  //===--------------------------------------------------------------------===//

  /// Emits an error at an operation that later steps would not expect.
  LogicalResult check() {
    WalkResult result = entry.walk([&](Operation *op) {
      if (!xf::isLegal(op, xf::ModuleStage::Host)) {
        op->emitOpError("is in no kernel; form kernels first");
        return WalkResult::interrupt();
      }
      if (isa<xf::LayersOp, xf::YieldOp, xf::ReturnOp>(op) &&
          !isa<xf::ScanOp>(op->getParentOp()))
        for (Value operand : op->getOperands()) {
          auto transfer = operand.getDefiningOp<xf::TransferOp>();
          if (transfer && transfer->hasOneUse() &&
              transfer->getBlock() == op->getBlock())
            continue;
          op->emitOpError(
              "has an operand without a transfer of its own; place memory "
              "first");
          return WalkResult::interrupt();
        }
      if (auto transfer = dyn_cast<xf::TransferOp>(op))
        if (host::sourceOf(transfer.getInput()).getDefiningOp<xf::WeightOp>()) {
          op->emitOpError("moves a weight: only kernels read weights");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  //===--------------------------------------------------------------------===//
  // Time: an index for each operation, in program order; joined launches share
  // one
  //===--------------------------------------------------------------------===//

  /// Numbers the operations of a block from `next` on and returns the next
  /// number. The end of a loop has a number of its own, after its body.
  unsigned number(Block &block, unsigned next = 1) {
    for (Operation &op : block) {
      auto launch = dyn_cast<xf::LaunchOp>(op);
      const bool isJoined = launch && launch.getJoined();
      time[&op] = isJoined ? time[op.getPrevNode()] : next++;
      if (isa<xf::LayersOp, xf::ScanOp>(op)) {
        next = number(op.getRegion(0).front(), next);
        loopEnd[&op] = next++;
      }
    }
    return next;
  }

  /// The time of the last read of `value`, relative to the block that defines
  /// it: a read in a loop lasts until the loop ends.
  unsigned lastUse(Value value) {
    unsigned last = 0;
    Block *home = value.getParentBlock();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // A recurrence reads its rows until its end.
      unsigned at = isa<xf::ScanOp>(user) ? loopEnd[user] : time[user];
      for (Operation *op = user; op->getBlock() != home;) {
        op = op->getParentOp();
        at = loopEnd[op];
      }
      if (auto view = dyn_cast<xf::RearrangeOp>(user))
        at = std::max(at, lastUse(view.getResult()));
      last = std::max(last, at);
    }
    return last;
  }

  //===--------------------------------------------------------------------===//
  // Buffers, and which values share one
  //===--------------------------------------------------------------------===//

  /// Chosen rows may be all rows, so they get the size of all.
  Bytes bytesOf(Value value) {
    Bytes bytes(1 + sizes.count(), 0);
    auto size = sizes.of(value.getType());
    bytes[size ? 1 + *size : 0] = xf::bytesOfOne(value);
    return bytes;
  }

  /// Creates the buffer of a value that is written at time `begin`.
  Buffer *define(Value value, unsigned begin) {
    buffers.push_back(std::make_unique<Buffer>());
    Buffer *buffer = buffers.back().get();
    buffer->order = buffers.size();
    buffer->begin = begin;
    buffer->end = std::max(begin, lastUse(value));
    buffer->bytes = bytesOf(value);
    bufferOf[value] = buffer;
    return buffer;
  }

  /// Creates the buffers of a block. A view has that of its input.
  void createBuffers(Block &block) {
    for (Operation &op : block) {
      if (isa<xf::LaunchOp, xf::TransferOp>(op)) {
        for (Value result : op.getResults())
          define(result, time[&op]);
      } else if (isa<xf::CacheReadOp>(op)) {
        define(op.getResult(0), time[&op])->place =
            place(xf::BufferKind::Cache, 0);
      } else if (auto view = dyn_cast<xf::RearrangeOp>(op)) {
        bufferOf[view.getResult()] = bufferOf.lookup(view.getInput());
      } else if (auto layers = dyn_cast<xf::LayersOp>(op)) {
        // The carried values live as long as the loop and the loop's results.
        for (auto [carried, result] :
             llvm::zip(layers.getCarried(), layers.getResults())) {
          Buffer *buffer = define(result, time[&op]);
          buffer->end = std::max(buffer->end, loopEnd[&op]);
          buffer->shared = true;
          bufferOf[carried] = buffer;
        }
        createBuffers(layers.getBody().front());
      } else if (auto scan = dyn_cast<xf::ScanOp>(op)) {
        createBuffers(scan);
      }
    }
  }

  /// The buffers of a recurrence, which it writes until its end: results of all
  /// positions, and states, which live as long as the states after the last
  /// position. The rows of a position have the buffer of all.
  void createBuffers(xf::ScanOp scan) {
    for (Value result : scan.getResults()) {
      Buffer *buffer = define(result, time[scan]);
      buffer->end = std::max(buffer->end, loopEnd[scan]);
    }
    for (auto [state, last] :
         llvm::zip(scan.getStates(), scan.getLastStates())) {
      bufferOf.lookup(last)->shared = true;
      bufferOf[state] = bufferOf.lookup(last);
    }
    for (auto [row, rows] : llvm::zip(scan.getRowArguments(), scan.getRows()))
      bufferOf[row] = bufferOf.lookup(rows);
    createBuffers(scan.getBody().front());
    // The next state of a position is the state of the position after it, in
    // the same place.
    for (Value next : scan.getNextStates())
      if (next.getDefiningOp<xf::LaunchOp>()) {
        Buffer *buffer = bufferOf.lookup(next);
        buffer->begin = time[scan];
        buffer->end = std::max(buffer->end, loopEnd[scan]);
      }
  }

  /// Makes two buffers one, whose live range covers both.
  void mergeInto(Buffer *from, Buffer *into) {
    into->begin = std::min(into->begin, from->begin);
    into->end = std::max(into->end, from->end);
    if (!into->place)
      into->place = from->place;
    from->joinedAway = true;
    into->shared = true;
    for (auto &entry : bufferOf)
      if (entry.second == from)
        entry.second = into;
  }

  /// Lets the initial, the carried and the yielded value of a loop share a
  /// buffer, and their sources too, unless a source is still read when the
  /// buffer is written.
  void joinLoops() {
    entry.walk([&](xf::LayersOp layers) {
      for (auto [carried, next] :
           llvm::zip(layers.getCarried(), layers.getYieldedValues())) {
        Buffer *loop = bufferOf.lookup(carried);
        // The next value may overwrite the current one after the last read of
        // the current one, unless it is also the next value of another.
        Value source = next.getDefiningOp<xf::TransferOp>().getInput();
        Operation *maker = source.getDefiningOp();
        bool made = maker && maker->getBlock() == &layers.getBody().front() &&
                    isa<xf::LaunchOp>(maker);
        mergeInto(bufferOf.lookup(next), loop);
        if (made && !bufferOf.lookup(source)->shared &&
            lastUse(carried) < time[maker])
          mergeInto(bufferOf.lookup(source), loop);
      }
      for (auto [init, carried] :
           llvm::zip(layers.getInits(), layers.getCarried()))
        joinInitial(init, carried);
    });
    entry.walk([&](xf::ScanOp scan) {
      for (auto [init, state] : llvm::zip(scan.getInits(), scan.getStates()))
        joinInitial(init, state);
    });
  }

  /// Lets an initial value of a loop share the buffer of the carried value, and
  /// its source too, unless that is still read when the buffer is written.
  void joinInitial(Value init, Value carried) {
    Buffer *loop = bufferOf.lookup(carried);
    mergeInto(bufferOf.lookup(init), loop);
    Value source = init.getDefiningOp<xf::TransferOp>().getInput();
    Buffer *start = bufferOf.lookup(source);
    if (start && start != loop && !start->place &&
        start->end <= time[init.getDefiningOp()])
      mergeInto(start, loop);
  }

  /// Whether a transfer is between the host's memory and a device's: arguments
  /// are in the former, all other values in the latter, and only the last
  /// transfers go to the host.
  bool crosses(xf::TransferOp op) {
    return !host::isHost(device) && host::isArgument(op.getInput(), entry) !=
                                        host::isHost(op.getSpace());
  }

  /// A transfer shares its source's buffer, unless a loop or a result
  /// determines its place, or it saves a value at the end of a layer.
  void joinTransfers() {
    entry.walk([&](xf::TransferOp op) {
      if (op->use_empty() || crosses(op) ||
          isa<xf::LayersOp>(op->getParentOp()) ||
          isa<xf::YieldOp, xf::ReturnOp, xf::LayersOp, xf::ScanOp>(
              *op->user_begin()))
        return;
      mergeInto(bufferOf.lookup(op.getResult()),
                bufferOf.lookup(op.getInput()));
    });
  }

  /// Lets the source of a result be computed in the caller's memory.
  void joinResults(Operation *terminator) {
    for (OpOperand &operand : terminator->getOpOperands()) {
      Buffer *result = bufferOf.lookup(operand.get());
      result->place = place(xf::BufferKind::Result, operand.getOperandNumber());
      auto transfer = operand.get().getDefiningOp<xf::TransferOp>();
      Buffer *buffer = bufferOf.lookup(transfer.getInput());
      if (!buffer->place && !crosses(transfer))
        mergeInto(result, buffer);
    }
  }

  //===--------------------------------------------------------------------===//
  // Slots
  //===--------------------------------------------------------------------===//

  /// Only the arena is marked with the memory of the kernels: arguments and
  /// results are the caller's.
  xf::BufferAttr place(xf::BufferKind kind, int64_t index) {
    return xf::BufferAttr::get(entry.getContext(),
                               kind == xf::BufferKind::Arena ? device : "cpu",
                               kind, index);
  }

  /// A slot of the arena, and the time from which it can be reused.
  struct Slot {
    Bytes bytes;
    unsigned freeFrom;
  };

  /// The free slot that would grow least; a new one if none is free.
  unsigned slotFor(Buffer *buffer, std::vector<Slot> &slots) {
    int best = -1;
    int64_t bestGrowth = 0;
    for (auto [index, slot] : llvm::enumerate(slots)) {
      if (slot.freeFrom > buffer->begin)
        continue;
      int64_t growth = 0;
      for (auto [have, need] : llvm::zip(slot.bytes, buffer->bytes))
        growth += std::max<int64_t>(0, need - have);
      if (best < 0 || growth < bestGrowth) {
        best = static_cast<int>(index);
        bestGrowth = growth;
      }
    }
    if (best < 0) {
      slots.push_back({buffer->bytes, buffer->end + 1});
      return slots.size() - 1;
    }
    for (auto [have, need] : llvm::zip(slots[best].bytes, buffer->bytes))
      have = std::max(have, need);
    slots[best].freeFrom = buffer->end + 1;
    return best;
  }

  /// Assigns slots in the order in which values are first written, and writes
  /// the plan into the module.
  void assign() {
    std::vector<Buffer *> ordered;
    for (auto &buffer : buffers)
      if (!buffer->joinedAway && !buffer->place)
        ordered.push_back(buffer.get());
    llvm::sort(ordered, [](Buffer *a, Buffer *b) {
      return std::pair(a->begin, a->order) < std::pair(b->begin, b->order);
    });
    std::vector<Slot> planned;
    for (Buffer *buffer : ordered)
      buffer->place = place(xf::BufferKind::Arena, slotFor(buffer, planned));

    entry.walk([&](Operation *op) {
      if (auto launch = dyn_cast<xf::LaunchOp>(op)) {
        launch.setBufferAttr(bufferOf.lookup(launch.getResult())->place);
        SmallVector<Attribute> states;
        for (Value state : launch.getStates())
          states.push_back(bufferOf.lookup(state)->place);
        if (!states.empty())
          launch.setStateBuffersAttr(
              ArrayAttr::get(entry.getContext(), states));
      } else if (auto transfer = dyn_cast<xf::TransferOp>(op)) {
        Buffer *to = bufferOf.lookup(transfer.getResult());
        transfer.setBufferAttr(to->place);
        copies += to != bufferOf.lookup(transfer.getInput());
      } else if (auto scan = dyn_cast<xf::ScanOp>(op)) {
        SmallVector<Attribute> places;
        for (Value result : scan.getResults())
          places.push_back(bufferOf.lookup(result)->place);
        scan.setBuffersAttr(ArrayAttr::get(entry.getContext(), places));
      }
    });
    Builder builder(entry.getContext());
    SmallVector<Attribute> sizes;
    for (const Slot &slot : planned)
      sizes.push_back(builder.getDenseI64ArrayAttr(slot.bytes));
    entry.setSlotsAttr(builder.getArrayAttr(sizes));
    slots += planned.size();
  }

  xf::EntryOp entry;
  DenseMap<Attribute, Attribute> sources; // of the lengths of chosen rows
  host::LengthProducts sizes;
  StringRef device; // the memory of the kernels
  DenseMap<Operation *, unsigned> time, loopEnd;
  std::vector<std::unique_ptr<Buffer>> buffers;
  // Values of one buffer have the same pointer here; merging redirects them.
  llvm::MapVector<Value, Buffer *> bufferOf;
};

struct PlanMemory : host::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    Planner planner(getOperation());
    if (failed(planner.run()))
      return signalPassFailure();
    slots += planner.slots;
    copies += planner.copies;
  }
};

} // namespace
