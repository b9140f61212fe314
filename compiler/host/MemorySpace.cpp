// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/host/MemorySpace.h"

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
    auto kernel = SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
        launch, launch.getKernelAttr());
    StringRef own = memorySpaceOf(kernel.getTarget().value_or(""));
    if (space.empty())
      space = own;
    if (own == space)
      return WalkResult::advance();
    launch.emitOpError() << "works in memory \"" << own
                         << "\", kernels before it in \"" << space
                         << "\": an entry's kernels have one memory";
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
