// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins contractions of the same x if one's result is read only in the other's
// epilogue:
//
//   {%u = contract %x, %V}   {%g = contract %x, %W; %r = silu(%g) · %u}
// become
//   {%u = contract %x, %V; %g = contract %x, %W; %r = silu(%g) · %u}
//
// The kernel computes both sums in one loop over k
// (compiler/kernels/algorithm/product/ProductsTogether.cpp). At most two are
// joined, since a thread holds the sums of both. The matrices are weights of
// the same shape and format. Exact: operations only move.

#include "compiler/fuse/form/JoinRegions.h"

#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;
using namespace transfold;
using fuse::KernelRegion;

/// The single contraction of a region; null if there is none, or more than one.
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

/// The region whose result an operand is; null if there is none.
static KernelRegion *madeBy(const fuse::Regions &regions, Value operand) {
  Operation *op = operand.getDefiningOp();
  auto found = llvm::find_if(
      regions, [&](const auto &region) { return op && region->root == op; });
  return found == regions.end() ? nullptr : found->get();
}

/// Moves all operations of `from` into `into`, which keeps its root.
static void merge(fuse::Regions &regions, KernelRegion *from,
                  KernelRegion *into) {
  into->ops.insert_range(from->ops);
  llvm::erase_if(regions,
                 [&](const auto &region) { return region.get() == from; });
}

/// Whether two contractions are x[n, k] @ W[k, c] of the same x, with matrices
/// of the same shape and format.
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

/// The region of a contraction that `region` may absorb; null if there is none.
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
