// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that compute nothing: they select and reorder values.

#include "compiler/kernels/algorithm/lower/RegionValues.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

std::vector<Axis> kernels::axesOf(mlir::Type type) {
  std::vector<Axis> axes;
  for (Attribute attribute : xf::getShape(type)) {
    Axis axis;
    if (auto number = xf::getNumber(attribute))
      axis.size = *number;
    else
      axis.length = xf::printAxis(attribute);
    axes.push_back(axis);
  }
  return axes;
}

Labels kernels::labelsOf(ArrayAttr attribute) {
  Labels labels;
  for (StringRef label : attribute.getAsValueRange<StringAttr>())
    labels.push_back(label.str());
  return labels;
}

std::vector<Labels> kernels::groupsOf(ArrayAttr attribute) {
  std::vector<Labels> groups;
  for (auto group : attribute.getAsRange<ArrayAttr>())
    groups.push_back(labelsOf(group));
  return groups;
}

std::optional<Tensor> kernels::lowerPlaces(RegionValues &region,
                                           Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](xf::GatherOp op) {
        return region.builder.gather(region.get(op.getTable()),
                                     region.get(op.getRows()));
      })
      .Case([&](xf::SliceOp op) {
        Expr offset = static_cast<int>(op.getOffset());
        if (Expr first = region.position(op.getFirst()); first.defined())
          offset += first;
        return region.builder.slice(region.get(op.getInput()), op.getAxis(),
                                    offset, axesOf(op.getType()));
      })
      .Case([&](xf::SelectOp op) {
        return region.builder.select(region.get(op.getInput()), op.getAxis(),
                                     op.getPosition());
      })
      .Case([&](xf::RepeatOp op) {
        return region.builder.repeat(region.get(op.getInput()), op.getAxis(),
                                     op.getTimes());
      })
      .Case([&](xf::AppendOp op) {
        return region.builder.append(region.get(op.getLhs()),
                                     region.get(op.getRhs()), op.getAxis(),
                                     axesOf(op.getType()));
      })
      .Case([&](xf::StackOp op) {
        std::vector<Tensor> members;
        for (Value member : op.getMembers())
          members.push_back(region.get(member));
        return region.builder.stack(members);
      })
      .Case([&](xf::UnfoldOp op) {
        return region.builder.windows(region.get(op.getInput()), op.getStride(),
                                      op.getPad(), op.getReflected(),
                                      axesOf(op.getType()));
      })
      .Case([&](xf::DelayOp op) {
        return region.builder.delay(region.get(op.getInput()), op.getAxis(),
                                    op.getBy(), region.position(op.getFirst()),
                                    axesOf(op.getType()));
      })
      .Case([&](xf::PatchesOp op) {
        return region.builder.patches(region.get(op.getInput()), op.getSize(),
                                      axesOf(op.getType()));
      })
      .Case([&](xf::RearrangeOp op) {
        return region.builder.rearrange(
            region.get(op.getInput()), groupsOf(op.getFrom()),
            groupsOf(op.getTo()), axesOf(op.getType()));
      })
      .Default([](Operation *) { return std::nullopt; });
}
