// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on weights only, and the removal of weights that nothing
// reads.

#include "dialect/weights/Weights.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSet.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// `assumed` holds the values being queried or already queried; a carried value
/// may depend on itself.
static bool isWeightOnly(Value value, llvm::DenseSet<Value> &assumed) {
  if (!isa<RealType>(value.getType()) ||
      !llvm::all_of(getShape(value.getType()),
                    [](Attribute axis) { return getNumber(axis).has_value(); }))
    return false;
  // A value that is queried again while its own query runs is assumed to depend
  // on weights only. This is the greatest fixed point: the answer is false only
  // if something else is actually reached.
  if (!assumed.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto layers = dyn_cast<LayersOp>(argument.getOwner()->getParentOp());
    if (!layers)
      return false;
    unsigned number = argument.getArgNumber() - 1;
    return isWeightOnly(layers.getInits()[number], assumed) &&
           isWeightOnly(layers.getYieldedValues()[number], assumed);
  }
  Operation *op = value.getDefiningOp();
  if (auto layers = dyn_cast<LayersOp>(op))
    return isWeightOnly(
        layers.getCarried()[cast<OpResult>(value).getResultNumber()], assumed);
  if (isa<WeightOp>(op))
    return true;
  return !isa<LaunchOp, TransferOp>(op) && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isWeightOnly(operand, assumed);
         });
}

StoredOp xf::storedOf(Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  return weight ? SymbolTable::lookupNearestSymbolFrom<StoredOp>(
                      weight, weight.getStoredAttr())
                : StoredOp();
}

bool xf::isWeightOnly(Value value) {
  llvm::DenseSet<Value> assumed;
  return ::isWeightOnly(value, assumed);
}

void xf::eraseUnusedWeights(ModuleOp module) {
  // Erasing a chain may leave its parts unread, so the module is searched again
  // until nothing is erased.
  for (bool changed = true; changed;) {
    llvm::StringSet<> used;
    module.walk([&](WeightOp read) { used.insert(read.getStored()); });
    for (auto stored : module.getOps<StoredOp>())
      if (auto chain = stored.getChain())
        for (auto name : chain->getParts().getAsRange<FlatSymbolRefAttr>())
          used.insert(name.getValue());
    changed = false;
    for (auto stored : llvm::make_early_inc_range(module.getOps<StoredOp>()))
      if (!used.contains(stored.getSymName())) {
        stored.erase();
        changed = true;
      }
  }
}
