// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins a norm to the contractions that read it, if nothing else does:
//
//   {%u = unit_rms %x; %z = %u · gain}   {%y = contract %z, %W}
// become
//   {%u = unit_rms %x; %z = %u · gain; %y = contract %z, %W}
//
// in each of up to three regions, which are Q, K and V. With few rows each
// block of threads recomputes what the norm needs of a row, K elements that are
// in the cache, and applies it when it loads x
// (compiler/kernels/schedule/gpu/NormsGpu.cpp). Rounded rows are still stored:
// a block would otherwise round them once for each of its columns. Exact:
// operations only move, or are computed several times.

#include "compiler/fuse/form/JoinRegions.h"

#include "dialect/weights/Weights.h"

#include <llvm/ADT/STLExtras.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;
using namespace transfold;
using fuse::KernelRegion;

/// Limit of the regions that recompute a norm: more would take longer than
/// storing it.
constexpr size_t mostReaders = 3;

/// Whether a region consists of one norm over rows in memory and pointwise
/// operations of its result with weights.
static bool isNorm(const KernelRegion &region) {
  if (region.anchor != xf::Anchor::Rows)
    return false;
  auto isNormOp = llvm::IsaPred<xf::StandardizeOp, xf::UnitRmsOp, xf::UnitOp>;
  return llvm::count_if(region.ops, isNormOp) == 1 &&
         llvm::all_of(region.ops, [&](Operation *op) {
           if (!isNormOp(op) &&
               (!op->hasTrait<xf::Pointwise>() || isa<xf::RoundOp>(op)))
             return false;
           return llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *maker = operand.getDefiningOp();
             const bool isOwn = maker && region.ops.contains(maker);
             return isNormOp(op) ? !isOwn : isOwn || xf::isWeightOnly(operand);
           });
         });
}

/// Whether a use is the operand x of x[n, k] @ W[k, c] with a stored W.
static bool isRowsOfProduct(OpOperand &use) {
  auto product = dyn_cast<xf::ContractOp>(use.getOwner());
  return product && use.getOperandNumber() == 0 &&
         product.getLabels().size() == 2 &&
         product.getRhsLabels().size() == 2 && xf::storedOf(product.getRhs()) &&
         product.getLhsLabels()[0] == product.getLabels()[0] &&
         !xf::getNumber(xf::getShape(product.getType())[0]);
}

/// The regions whose contractions read `norm`; empty if there are other
/// readers, or too many.
static llvm::SetVector<KernelRegion *> readersOf(const fuse::Regions &regions,
                                                 const KernelRegion &norm) {
  llvm::SetVector<KernelRegion *> readers;
  for (OpOperand &use : norm.root->getUses()) {
    auto reader = llvm::find_if(regions, [&](const auto &region) {
      return region->ops.contains(use.getOwner());
    });
    if (!isRowsOfProduct(use) || reader == regions.end() ||
        (*reader)->anchor != xf::Anchor::Contraction)
      return {};
    readers.insert(reader->get());
  }
  return readers.size() > mostReaders ? llvm::SetVector<KernelRegion *>()
                                      : readers;
}

/// Copies the operations of `norm` into `reader`, for its contractions.
static void copyInto(const KernelRegion &norm, KernelRegion *reader) {
  SmallVector<Operation *> ordered(norm.ops.begin(), norm.ops.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(norm.root->getContext());
  builder.setInsertionPointAfter(norm.root);
  IRMapping mapping;
  for (Operation *op : ordered)
    reader->ops.insert(builder.clone(*op, mapping));
  Value copy = mapping.lookup(norm.root->getResult(0));
  norm.root->getResult(0).replaceUsesWithIf(copy, [&](OpOperand &use) {
    return reader->ops.contains(use.getOwner()) &&
           isa<xf::ContractOp>(use.getOwner());
  });
}

void fuse::joinNorms(Regions &regions) {
  llvm::SmallPtrSet<KernelRegion *, 8> gone;
  for (const auto &region : regions) {
    if (!isNorm(*region))
      continue;
    auto readers = readersOf(regions, *region);
    for (KernelRegion *reader : readers)
      copyInto(*region, reader);
    if (readers.empty())
      continue;
    SmallVector<Operation *> own(region->ops.begin(), region->ops.end());
    llvm::sort(own, [](Operation *a, Operation *b) {
      return b->isBeforeInBlock(a); // users first
    });
    for (Operation *op : own)
      op->erase();
    gone.insert(region.get());
  }
  llvm::erase_if(
      regions, [&](const auto &region) { return gone.contains(region.get()); });
}
