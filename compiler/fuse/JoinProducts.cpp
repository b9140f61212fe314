// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// Exact: operations only move.

#include "compiler/fuse/JoinRegions.h"

#include "dialect/Labels.h"
#include "dialect/Weights.h"

#include <llvm/ADT/STLExtras.h>

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
