// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element format of values between and in kernels, followed through the
// operations that move values without computing any.

#include "dialect/weights/StoredValues.h"

#include "dialect/Labels.h"
#include "dialect/weights/Storage.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

Format xf::formatOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return Format::F32;
  return llvm::TypeSwitch<Operation *, Format>(op)
      .Case<RearrangeOp, TransferOp>(
          [](auto same) { return formatOf(same.getInput()); })
      .Case([&](LaunchOp launch) {
        auto kernel = launch.lookUpKernel();
        return kernel ? kernel
                            .getResultStorage(
                                cast<OpResult>(value).getResultNumber())
                            .getFormat()
                      : Format::F32;
      })
      .Case([](CacheReadOp recall) {
        auto cache = SymbolTable::lookupNearestSymbolFrom<CacheOp>(
            recall, recall.getCacheAttr());
        return cache ? cache.getFormat().value_or(Format::F32) : Format::F32;
      })
      .Default(Format::F32);
}

Format xf::formatOf(KernelOp kernel, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return kernel.getStorage(argument.getArgNumber()).getFormat();
  return llvm::TypeSwitch<Operation *, Format>(value.getDefiningOp())
      .Case<RearrangeOp, RepeatOp>(
          [&](auto same) { return formatOf(kernel, same.getInput()); })
      .Case([](RoundOp round) { return round.getFormat(); })
      .Default(Format::F32);
}

int64_t xf::bytesOfOne(Value value) {
  return countNumbers(value.getType()) * blockSizeOf(formatOf(value)).bytes;
}
