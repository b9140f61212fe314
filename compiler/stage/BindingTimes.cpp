// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forward analysis over the lattice Weights < Request < Step: a value is as
// late as its latest operand, and a value with rows of the sequence belongs to
// a step whatever its operands are, since a table by position has none.

#include "compiler/stage/BindingTimes.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

SmallVector<unsigned> stage::axesAlong(Type type, StringAttr length) {
  SmallVector<unsigned> axes;
  if (!isa<xf::RealType, xf::IntegralType>(type)) // an index of a layer
    return axes;
  for (auto [number, axis] : llvm::enumerate(xf::getShape(type)))
    if (axis == length)
      axes.push_back(number);
  return axes;
}

Type stage::withAxes(Type type, ArrayRef<unsigned> axes, StringAttr to) {
  SmallVector<Attribute> shape(xf::getShape(type));
  for (unsigned axis : axes)
    shape[axis] = to;
  if (isa<xf::IntegralType>(type))
    return xf::IntegralType::get(type.getContext(), shape);
  return xf::RealType::get(type.getContext(), shape);
}

BindingTimes::BindingTimes(xf::EntryOp entry, StringAttr length)
    : length(length) {
  for (BlockArgument argument : entry.getBody().getArguments())
    moments[argument] = axesAlong(argument.getType(), length).empty()
                            ? BindingTime::Request
                            : BindingTime::Step;
  visit(entry.getBody().front());
}

BindingTime BindingTimes::latest(ValueRange values) const {
  BindingTime last = BindingTime::Weights;
  for (Value value : values)
    last = std::max(last, moments.lookup(value));
  return last;
}

BindingTime BindingTimes::of(Operation *op) const {
  BindingTime last = latest(op->getResults());
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator())
      last = std::max(last, of(&inner));
  return last;
}

void BindingTimes::visit(Block &block) {
  for (Operation &op : block) {
    if (auto layers = dyn_cast<xf::LayersOp>(op)) {
      // Iterates over carried values to a fixed point.
      SmallVector<BindingTime> carried;
      for (Value init : layers.getInits())
        carried.push_back(moments.lookup(init));
      Block &body = layers.getBody().front();
      // Moments only grow and there are three of them, so each carried value
      // changes at most twice.
      for (bool changed = true; changed;) {
        for (auto [argument, moment] : llvm::zip(layers.getCarried(), carried))
          moments[argument] = moment;
        visit(body);
        changed = false;
        for (auto [moment, next] :
             llvm::zip(carried, layers.getYieldedValues()))
          if (moments.lookup(next) > moment) {
            moment = moments.lookup(next);
            changed = true;
          }
      }
      for (auto [result, moment] : llvm::zip(layers.getResults(), carried))
        moments[result] = moment;
      continue;
    }
    BindingTime moment = latest(op.getOperands());
    if (auto scan = dyn_cast<xf::ScanOp>(op)) {
      // The rows of a position and the states after it are as late as those of
      // all positions.
      moment = std::max(moment,
                        axesAlong(scan.getRows()[0].getType(), length).empty()
                            ? BindingTime::Weights
                            : BindingTime::Step);
      for (BlockArgument argument : scan.getBody().getArguments())
        moments[argument] = moment;
      visit(scan.getBody().front());
    }
    for (Value result : op.getResults())
      moments[result] = axesAlong(result.getType(), length).empty()
                            ? moment
                            : BindingTime::Step;
  }
}
