// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values lie, by the targets of the kernels that read and write them.

#include "compiler/host/plan/MemorySpace.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSwitch.h>

using namespace mlir;
using namespace transfold;

StringRef host::memorySpaceOf(StringRef target) {
  while (!target.empty()) {
    auto [word, rest] = target.split('-');
    StringRef space = llvm::StringSwitch<StringRef>(word)
                          .Cases({"opencl", "cuda", "metal", "vulkan", "webgpu",
                                  "d3d12compute"},
                                 word)
                          .Default("");
    if (!space.empty())
      return space;
    target = rest;
  }
  return "cpu";
}

FailureOr<StringRef> host::memorySpaceOf(xf::EntryOp entry) {
  StringRef space;
  WalkResult result = entry.walk([&](xf::LaunchOp launch) {
    auto kernel = launch.lookUpKernel();
    StringRef own = memorySpaceOf(kernel.getTarget().value_or(""));
    if (space.empty())
      space = own;
    if (own == space)
      return WalkResult::advance();
    launch.emitOpError() << "works in memory \"" << own
                         << "\", kernels before it in \"" << space
                         << "\": all kernels of an entry must use one memory";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return space.empty() ? StringRef("cpu") : space;
}

Value host::sourceOf(Value value) {
  while (auto view = value.getDefiningOp<xf::RearrangeOp>())
    value = view.getInput();
  return value;
}

bool host::isForAll(Value value) {
  Operation *op = sourceOf(value).getDefiningOp();
  if (auto launch = dyn_cast_or_null<xf::LaunchOp>(op))
    return !launch.getPerSequence() &&
           llvm::all_of(xf::getShape(value.getType()), xf::getNumber);
  return isa_and_nonnull<xf::WeightOp>(op);
}

bool host::isPassedAsNumber(Type type) {
  return isa<xf::IntegralType>(type) && xf::getShape(type).empty();
}

bool host::isArgument(Value value, xf::EntryOp entry) {
  auto argument = dyn_cast<BlockArgument>(sourceOf(value));
  return argument && argument.getOwner() == &entry.getBody().front();
}

SmallVector<StringAttr> host::cacheLengths(ModuleOp module) {
  llvm::SetVector<StringAttr> lengths;
  for (auto cache : module.getOps<xf::CacheOp>())
    if (StringAttr length = cache.getLength())
      lengths.insert(length);
  return lengths.takeVector();
}

/// The buffer of a carried value: that of its initial transfer.
static std::optional<xf::BufferAttr> carriedBuffer(xf::LayersOp layers,
                                                   unsigned index) {
  // PlaceMemory gives every initial value a transfer of its own.
  return layers.getInits()[index].getDefiningOp<xf::TransferOp>().getBuffer();
}

bool host::isInPlace(xf::TransferOp transfer) {
  Value source = sourceOf(transfer.getInput());
  if (auto launch = source.getDefiningOp<xf::LaunchOp>())
    return launch.getBuffer() == transfer.getBuffer();
  if (auto other = source.getDefiningOp<xf::TransferOp>())
    return other.getBuffer() == transfer.getBuffer();
  if (auto argument = dyn_cast<BlockArgument>(source)) {
    if (auto layers =
            dyn_cast<xf::LayersOp>(argument.getOwner()->getParentOp()))
      return carriedBuffer(layers, argument.getArgNumber() - 1) ==
             transfer.getBuffer();
    if (auto scan = dyn_cast<xf::ScanOp>(argument.getOwner()->getParentOp()))
      return false;
    return transfer.getBuffer()->getKind() == xf::BufferKind::Argument;
  }
  if (auto scan = source.getDefiningOp<xf::ScanOp>())
    return (*scan.getBuffers())[cast<OpResult>(source).getResultNumber()] ==
           *transfer.getBuffer();
  if (auto layers = source.getDefiningOp<xf::LayersOp>())
    return carriedBuffer(layers, cast<OpResult>(source).getResultNumber()) ==
           transfer.getBuffer();
  return false;
}
