// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-place-memory: inserts transfers between the host's memory and the
// kernels'.
//
// Before:
//   xf.entry @f(%x) {
//     %y = xf.layers … (%c = %x) {
//       …
//       xf.yield %z
//     }
//     xf.return %y
//   }
//
// After:
//   xf.entry @f(%x) {
//     %d = xf.transfer %x to "cpu"
//     %i = xf.transfer %d to "cpu"     // into the loop's buffer
//     %y = xf.layers … (%c = %i) {
//       …
//       %t = xf.transfer %z to "cpu"
//       xf.yield %t
//     }
//     %h = xf.transfer %y to "host"
//     xf.return %h
//   }
//
// On a device single integers stay in the host's memory: its kernels are passed
// their value.
//
// A carried value that is yielded at another position, as in (a, b) → (b, a),
// gets one more transfer before those.
//
// Exact: a transfer is the identity on values. Planning buffers decides which
// of them copy; on a CPU almost none does.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/MemorySpace.h"
#include "dialect/weights/Weights.h"

namespace transfold::host {
#define GEN_PASS_DEF_PLACEMEMORY
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

struct PlaceMemory
    : host::PassInSpace<host::impl::PlaceMemoryBase<PlaceMemory>> {
  using PassInSpace::PassInSpace;

  void runIn(StringRef space, xf::EntryOp entry) override {
    device = space;
    Block &body = entry.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (BlockArgument argument : body.getArguments()) {
      if (argument.use_empty() || staysOnHost(argument))
        continue;
      Value moved = transfer(builder, argument, device);
      argument.replaceAllUsesExcept(moved, moved.getDefiningOp());
    }
    entry.walk([&](xf::LayersOp layers) {
      transferOperands(layers, device);
      saveCarried(layers);
      transferOperands(layers.getBody().front().getTerminator(), device);
    });
    entry.walk([&](xf::ScanOp scan) {
      transferOperands(scan.getInitsMutable(), scan, device);
    });
    transferOperands(body.getTerminator(), "host");
  }

  /// Whether an argument gets no transfer, since kernels of a device are passed
  /// its value.
  bool staysOnHost(BlockArgument argument) {
    return !host::isHost(device) && host::isPassedAsNumber(argument.getType());
  }

  /// A transfer whose buffer is still to be planned.
  Value transfer(OpBuilder &builder, Value value, StringRef space) {
    return xf::TransferOp::create(builder, value.getLoc(), value.getType(),
                                  value, space, xf::BufferAttr());
  }

  /// (a, b) → (b, a): saves a carried value that becomes another one, before
  /// the buffers are overwritten one after the other at the end of the layer.
  void saveCarried(xf::LayersOp layers) {
    Operation *yield = layers.getBody().front().getTerminator();
    OpBuilder builder(yield);
    for (OpOperand &operand : yield->getOpOperands()) {
      Value source = host::sourceOf(operand.get());
      if (llvm::is_contained(layers.getCarried(), source) &&
          layers.getCarried()[operand.getOperandNumber()] != source)
        operand.set(transfer(builder, operand.get(), device));
    }
  }

  /// Gives each operand of a loop, a yield or a return a transfer of its own,
  /// by which the plan copies where buffers cannot be shared.
  void transferOperands(Operation *op, StringRef space) {
    transferOperands(op->getOpOperands(), op, space);
  }
  void transferOperands(MutableArrayRef<OpOperand> operands, Operation *op,
                        StringRef space) {
    OpBuilder builder(op);
    for (OpOperand &operand : operands)
      operand.set(transfer(builder, operand.get(), space));
  }

  StringRef device; // the memory of the entry's kernels
};

} // namespace
