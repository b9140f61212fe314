// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches are symbols before the entry whose values they keep, named
// @ENTRY.NUMBER, with one member for each combination of the layers around the
// value.

#include "compiler/stage/Caches.h"

#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

Value stage::cheapestCut(Value value) {
  Value best = value;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<xf::RepeatOp, xf::RearrangeOp>(op))
      break;
    value = op->getOperand(0);
    // Compares elements of one row. Of equal ones the later value stays, so
    // that a rearrangement is not repeated in each step.
    if (xf::countNumbers(value.getType()) < xf::countNumbers(best.getType()))
      best = value;
  }
  return best;
}

SmallVector<xf::LayersOp> stage::loopsAround(Value value) {
  SmallVector<xf::LayersOp> loops;
  Operation *op = value.getParentBlock()->getParentOp();
  for (; op && !isa<xf::EntryOp>(op); op = op->getParentOp())
    loops.insert(loops.begin(), cast<xf::LayersOp>(op));
  return loops;
}

xf::CacheOp Caches::operator[](Value value) {
  auto [found, isNew] = caches.try_emplace(value);
  if (!isNew)
    return found->second;
  OpBuilder builder(module.getContext());
  builder.setInsertionPoint(entry);
  SmallVector<Attribute> indices;
  SmallVector<int64_t> extents;
  // A member for each layer up to the end of the loop: a loop that was split
  // may begin later, and its members keep the numbers of the layers.
  for (xf::LayersOp loop : loopsAround(value)) {
    indices.push_back(builder.getStringAttr(
        std::string(1, static_cast<char>('l' + indices.size()))));
    extents.push_back(static_cast<int64_t>(loop.getEnd()));
  }
  std::string name =
      (entry.getSymName() + "." + Twine(caches.size() - 1)).str();
  return found->second = xf::CacheOp::create(
             builder, value.getLoc(), builder.getStringAttr(name),
             builder.getArrayAttr(indices),
             builder.getDenseI64ArrayAttr(extents),
             TypeAttr::get(value.getType()), IntegerAttr(), xf::FormatAttr());
}
