// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are cheaper to recompute than to store get a copy for each reader
// before regions are formed, so that every region can take its own.

#include "compiler/fuse/form/ValuesOfKernels.h"

#include "compiler/fuse/form/Outline.h"
#include "dialect/recurrences/LanePlan.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;

std::optional<xf::Anchor> fuse::anchorOf(Operation *op) {
  if (isa<xf::ContractOp>(op))
    return xf::Anchor::Contraction;
  if (op->hasTrait<xf::RowWise>())
    return xf::Anchor::Rows;
  if (isa<xf::SumOp, xf::MeanOp, xf::MaxOp, xf::BuildRowIndexOp,
          xf::ScatterAddOp>(op))
    return xf::Anchor::Reduction;
  // Ranks of several members, which are counted side by side.
  if (auto rank = dyn_cast<xf::RunningCountOp>(op);
      rank && rank.getType().getRank() > 1)
    return xf::Anchor::Reduction;
  return std::nullopt;
}

bool fuse::isOneKernel(xf::ScanOp scan) {
  return xf::LanePlan::of(scan).has_value();
}

/// Whether an operation is not part of a kernel and reads values in memory.
static bool readsMemory(Operation *op) {
  return isa<xf::CacheWriteOp, xf::LayersOp, xf::ScanOp, xf::YieldOp,
             xf::ReturnOp>(op);
}

bool fuse::isStored(Operation &op) {
  return isa<xf::RealType>(op.getResult(0).getType()) &&
         llvm::any_of(op.getUsers(), readsMemory);
}

bool fuse::isOfEpilogue(Operation *round) {
  Operation *maker = round->getOperand(0).getDefiningOp();
  return isa<xf::RoundOp>(round) && maker && maker->hasOneUse() &&
         maker->getBlock() == round->getBlock() &&
         (fuse::anchorOf(maker) || maker->hasTrait<xf::Pointwise>());
}

bool fuse::isRoundedByReaders(Operation *op) {
  return isa<xf::RoundOp, xf::QuantizeOp>(op) && !isOfEpilogue(op) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<xf::ContractOp>(use.getOwner()) &&
                  use.getOperandNumber() == 0;
         });
}

bool fuse::isTakenByReaders(Operation *op) {
  return isa<xf::GatherRowsOp>(op) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return use.getOperandNumber() == 0 &&
                  (isa<xf::ContractOp>(use.getOwner()) ||
                   fuse::isRoundedByReaders(use.getOwner()));
         });
}

/// Whether a value is recomputed where it is used and not stored: a bias over
/// pairs of positions, or a rounding for contractions.
static bool isRemade(Operation &op) {
  if (fuse::isRoundedByReaders(&op))
    return true;
  if (!isa<xf::TabulateOp>(op))
    return false;
  unsigned lengths =
      llvm::count_if(xf::getShape(op.getResult(0).getType()),
                     [](Attribute axis) { return !xf::getNumber(axis); });
  return lengths > 1;
}

void fuse::copyWeights(Block &block) {
  Operation *end = block.getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    if (!operand.get().getDefiningOp<xf::WeightOp>())
      continue;
    OpBuilder builder(end);
    operand.set(xf::ScaleOp::create(
        builder, end->getLoc(), operand.get(),
        xf::ExactAttr::get(end->getContext(), ExactScalar(int64_t(1))),
        builder.getStringAttr("1")));
  }
}

/// Replaces `op` by one copy directly before each of its uses.
static void copyToEachUse(Operation &op) {
  for (OpOperand &use : llvm::make_early_inc_range(op.getUses())) {
    OpBuilder builder(use.getOwner());
    use.set(builder.clone(op)->getResult(0));
  }
  op.erase();
}

void fuse::copyToUses(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (fuse::isConstant(&op) && isStored(op)) {
      OpBuilder builder(&op);
      op.getResult(0).replaceUsesWithIf(
          builder.clone(op)->getResult(0),
          [](OpOperand &use) { return readsMemory(use.getOwner()); });
      continue;
    }
    if (isRemade(op))
      copyToEachUse(op);
  }
  // For each copy of a rounding, too.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (fuse::isTakenByReaders(&op))
      copyToEachUse(op);
}
