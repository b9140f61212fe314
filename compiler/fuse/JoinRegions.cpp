// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that a device computes in one launch.
//
// A launch of a device takes some microseconds, whatever it computes, and a
// step of one token is launches that wait for each other. On a processor a
// region more costs nothing, so there regions stay apart.
//
// Products of one x, where one result is all that another's epilogue reads:
//
//   {%u = contract %x, %V}   {%g = contract %x, %W; %r = silu(%g) · %u}
// become
//   {%u = contract %x, %V; %g = contract %x, %W; %r = silu(%g) · %u}
//
// and the kernel makes both sums in one loop over x
// (compiler/kernels/algorithm/ProductsTogether.cpp). Two at most: a thread
// holds the sums of both. Matrices are weights of one shape and one format.
//
// A norm that products alone read:
//
//   {%u = unit_rms %x; %z = %u · gain}   {%y = contract %z, %W}
// become
//   {%u = unit_rms %x; %z = %u · gain; %y = contract %z, %W}
//
// in each of up to three regions, which are Q, K and V. With few rows a block
// of threads computes for itself what the norm needs of a row, K numbers that
// lie in the cache, and multiplies where it loads x
// (compiler/kernels/schedule/NormsGpu.h). Rounded rows stay in memory: a block
// would round them once for each of its columns.
//
// Exact: operations only move, or are computed several times.

#include "compiler/fuse/JoinRegions.h"

#include "dialect/Labels.h"
#include "dialect/Weights.h"

#include <llvm/ADT/STLExtras.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;
using namespace transfold;
using fuse::KernelRegion;

/// The only product of a region; null where there are others, or none.
static xf::ContractOp onlyProduct(const KernelRegion &region) {
  xf::ContractOp only;
  for (Operation *op : region.ops)
    if (auto product = dyn_cast<xf::ContractOp>(op)) {
      if (only)
        return {};
      only = product;
    }
  return only;
}

/// The region whose result an operand is; null where there is none.
static KernelRegion *madeBy(const fuse::Regions &regions, Value operand) {
  Operation *op = operand.getDefiningOp();
  auto found = llvm::find_if(
      regions, [&](const auto &region) { return op && region->root == op; });
  return found == regions.end() ? nullptr : found->get();
}

static void merge(fuse::Regions &regions, KernelRegion *from,
                  KernelRegion *into) {
  into->ops.insert_range(from->ops);
  llvm::erase_if(regions,
                 [&](const auto &region) { return region.get() == from; });
}

/// Whether two products are x[n, k] @ W[k, c] of one x, with matrices of one
/// kind.
static bool areOfOne(xf::ContractOp a, xf::ContractOp b) {
  xf::StoredOp one = xf::storedOf(a.getRhs()), other = xf::storedOf(b.getRhs());
  return one && other && one.getExactFormat() == other.getExactFormat() &&
         a.getLhs() == b.getLhs() && a.getType() == b.getType() &&
         a.getLhsLabels() == b.getLhsLabels() &&
         a.getRhsLabels() == b.getRhsLabels() &&
         a.getLabels() == b.getLabels() && a.getLabels().size() == 2 &&
         a.getRhsLabels().size() == 2 &&
         a.getRhs().getType() == b.getRhs().getType();
}

/// The region of a product that `region` may take along; null where there is
/// none.
static KernelRegion *productFor(const fuse::Regions &regions,
                                const KernelRegion &region) {
  xf::ContractOp own = onlyProduct(region);
  if (!own || region.anchor != xf::Anchor::Contraction)
    return nullptr;
  for (Operation *op : region.ops)
    for (Value operand : op->getOperands()) {
      KernelRegion *other = madeBy(regions, operand);
      if (!other || other == &region || !operand.hasOneUse() ||
          other->anchor != xf::Anchor::Contraction ||
          operand.getType() != own.getType() ||
          !xf::readsOwnEntries(op, operand))
        continue;
      xf::ContractOp product = onlyProduct(*other);
      if (product && areOfOne(own, product))
        return other;
    }
  return nullptr;
}

void fuse::joinProducts(Regions &regions) {
  SmallVector<KernelRegion *> all;
  for (const auto &region : regions)
    all.push_back(region.get());
  llvm::DenseSet<KernelRegion *> merged;
  for (KernelRegion *region : all)
    if (!merged.contains(region))
      if (KernelRegion *other = productFor(regions, *region)) {
        merged.insert(other);
        merge(regions, other, region);
      }
}

/// Regions that compute a norm each: more would take longer than to store it.
constexpr size_t mostReaders = 3;

/// A norm of rows that are in memory, and arithmetic with weights on it.
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

/// Whether a use is x of x[n, k] @ W[k, c] with a stored W.
static bool isRowsOfProduct(OpOperand &use) {
  auto product = dyn_cast<xf::ContractOp>(use.getOwner());
  return product && use.getOperandNumber() == 0 &&
         product.getLabels().size() == 2 &&
         product.getRhsLabels().size() == 2 && xf::storedOf(product.getRhs()) &&
         product.getLhsLabels()[0] == product.getLabels()[0] &&
         !xf::getNumber(xf::getShape(product.getType())[0]);
}

/// The regions whose products read `norm`, which nothing else reads; none where
/// there are others, or too many.
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

/// Operations of `norm` once more, for the products of `reader`.
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
