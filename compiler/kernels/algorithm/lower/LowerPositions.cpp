// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, and values that depend on positions: definitions by index,
// lengths, rotations.

#include "compiler/kernels/algorithm/lower/RegionValues.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

std::optional<Tensor> kernels::lowerPositions(RegionValues &region,
                                              Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](xf::ConstantOp op) {
        return region.builder.constant(
            static_cast<float>(op.getValue().toDouble()));
      })
      .Case([&](xf::IntegersOp op) {
        return region.builder.constant(static_cast<int>(op.getValue()),
                                       axesOf(op.getType()));
      })
      .Case([&](xf::TabulateOp op) {
        std::vector<Tensor> arrays;
        for (Value array : op.getArrays())
          arrays.push_back(region.get(array));
        return region.builder.tabulate(*op.getDefinition().getValue().body,
                                       arrays, axesOf(op.getType()),
                                       region.position(op.getFirst()));
      })
      .Case([&](xf::LengthOp op) {
        return region.builder.length(
            axesOf(op.getInput().getType())[op.getAxis()]);
      })
      .Case([&](xf::RotateOp op) {
        return region.builder.rotate(region.get(op.getInput()),
                                     region.get(op.getCosines()),
                                     region.get(op.getSines()));
      })
      .Default([](Operation *) { return std::nullopt; });
}
