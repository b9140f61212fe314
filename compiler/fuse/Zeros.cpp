// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backward query: a value is zero where it was not chosen if it is the choice
// itself, or a zero-preserving operation of such a value. A product needs only
// one such operand.

#include "compiler/fuse/Zeros.h"

#include "dialect/Labels.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;
using namespace transfold;

/// The operands of which any single one makes the result zero where it is zero.
static OperandRange zeroing(Operation *op) {
  bool isProduct = isa<xf::MultiplyOp, xf::ContractOp>(op);
  return op->getOperands().take_front(isProduct ? 2 : 1);
}

bool fuse::isZeroUnlessChosen(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<xf::TopKMaskOp>(op))
    return true;
  if (auto softmax = dyn_cast<xf::SoftmaxOp>(op))
    return softmax.getAmong() && isZeroUnlessChosen(softmax.getAmong());
  // A contraction mixes entries.
  return op->hasTrait<xf::ZeroPreserving>() && !isa<xf::ContractOp>(op) &&
         llvm::any_of(zeroing(op), isZeroUnlessChosen);
}

/// The axis of operand `number` that corresponds to `axis` of the result;
/// nullopt if there is none, or if it was split or merged.
static std::optional<unsigned> axisOf(Operation *op, unsigned number,
                                      unsigned axis) {
  using Axis = std::optional<unsigned>;
  auto byLabel = [&](auto op) -> Axis {
    ArrayAttr own = number ? op.getRhsLabels() : op.getLhsLabels();
    return xf::findLabel(own, xf::getLabel(op.getLabels(), axis));
  };
  return llvm::TypeSwitch<Operation *, Axis>(op)
      .Case<xf::ContractOp, xf::MultiplyOp, xf::DivideOp>(byLabel)
      .Case([&](xf::SelectOp select) -> Axis {
        return axis < static_cast<unsigned>(select.getAxis()) ? axis : axis + 1;
      })
      .Case([&](xf::RearrangeOp rearrange) -> Axis {
        auto group = cast<ArrayAttr>(rearrange.getTo()[axis]);
        auto from = llvm::find(rearrange.getFrom(), group);
        if (group.size() != 1 || from == rearrange.getFrom().end())
          return std::nullopt;
        return from - rearrange.getFrom().begin();
      })
      .Case<xf::SliceOp, xf::RepeatOp>([&](auto moved) -> Axis {
        if (static_cast<unsigned>(moved.getAxis()) == axis)
          return std::nullopt;
        return axis;
      })
      .Default([&](Operation *) -> Axis { return axis; });
}

bool fuse::isChosenAlong(Value value, unsigned axis) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  bool isLast = axis + 1 == xf::getShape(value.getType()).size();
  if (isa<xf::TopKMaskOp>(op))
    return isLast;
  if (auto softmax = dyn_cast<xf::SoftmaxOp>(op))
    // A softmax among chosen entries is zero for the others, whatever its
    // scores are.
    return isLast && softmax.getAmong() &&
           isChosenAlong(softmax.getAmong(), axis);
  if (!op->hasTrait<xf::ZeroPreserving>())
    return false;
  for (auto [number, operand] : llvm::enumerate(zeroing(op)))
    if (auto own = axisOf(op, number, axis);
        own && isChosenAlong(operand, *own))
      return true;
  return false;
}
