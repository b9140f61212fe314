// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-order-states: vectors of a state extend along its last axis.
//
// Before, for S[i, t] = α[i, t] * S[i, t - 1] + x[i, t]' @ B[t]:
//   xf.scan … from (%s = %0) : …, (<24, 64, 128>) … {
//     %d = xf.multiply %a[i], %s[i, p, n] -> [i, p, n]
//     %n = xf.add %d[i, p, n], %xB[i, p, n] -> [i, p, n]
//     %y = xf.contract %n[i, p, n], %C[n] -> [i, p]
//     xf.yield %y, %n
// After:
//   xf.scan … from (%s = %0) : …, (<24, 128, 64>) … {
//     %d = xf.multiply %a[i], %s[i, n, p] -> [i, n, p]
//     %n = xf.add %d[i, n, p], %xB[i, p, n] -> [i, n, p]
//     %y = xf.contract %n[i, n, p], %C[n] -> [i, p]
//     xf.yield %y, %n
//
// The sum is over n, so entries with different p are independent (LaneAxes.h).
// Exact: only the order of axes in memory changes. States that are read as a
// whole, or that begin with something other than a number, keep their order.

#include "compiler/stage/IndexNotation.h"
#include "compiler/stage/Passes.h"
#include "dialect/Labels.h"
#include "dialect/recurrences/LaneAxes.h"

#include <llvm/ADT/SetVector.h>

namespace transfold::stage {
#define GEN_PASS_DEF_ORDERSTATES
#include "compiler/stage/Passes.h.inc"
} // namespace transfold::stage

using namespace mlir;
using namespace transfold;
using stage::withLabels;

namespace {

/// One state of a recurrence, whose axis `lane` becomes the last one.
class Orderer {
public:
  Orderer(xf::ScanOp scan, unsigned number, unsigned lane)
      : scan(scan), number(number), lane(lane) {}

  /// False, and nothing is changed, if the order is needed elsewhere.
  bool run() {
    Value last = scan.getLastStates()[number];
    auto table = scan.getInits()[number].getDefiningOp<xf::TabulateOp>();
    if (!last.use_empty() || !table ||
        !table.getDefinition().getValue().body->isConstant() ||
        !collect(scan.getStates()[number]) ||
        !collect(scan.getNextStates()[number]))
      return false;
    OpBuilder builder(scan);
    scan.getInitsMutable()[number].set(xf::TabulateOp::create(
        builder, table.getLoc(), cast<xf::RealType>(ordered(table.getType())),
        table.getDefinitionAttr(), table.getArrays()));
    last.setType(ordered(last.getType()));
    for (Value value : values)
      change(value);
    if (table->use_empty())
      table->erase();
    return true;
  }

private:
  template <typename Element>
  SmallVector<Element> ordered(ArrayRef<Element> all) const {
    SmallVector<Element> moved(all);
    std::rotate(moved.begin() + lane, moved.begin() + lane + 1, moved.end());
    return moved;
  }
  Type ordered(Type type) const {
    return xf::RealType::get(type.getContext(), ordered(xf::getShape(type)));
  }
  ArrayAttr ordered(ArrayAttr labels) const {
    return ArrayAttr::get(labels.getContext(), ordered(labels.getValue()));
  }

  /// Collects the values that change with `value`: operations that are not in
  /// index notation keep the order of their operand.
  bool collect(Value value) {
    if (value.getParentRegion() != &scan.getBody())
      return false;
    if (!values.insert(value))
      return true;
    if (Operation *maker = value.getDefiningOp()) {
      if (!withLabels(maker, [](auto) {}) &&
          !(maker->hasTrait<xf::Pointwise>() && collect(maker->getOperand(0))))
        return false;
    } else if (value != scan.getStates()[number]) {
      return false;
    }
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<xf::YieldOp>(user)) {
        if (use.getOperandNumber() != scan.getResultAxes().size() + number)
          return false;
      } else if (!withLabels(user, [](auto) {}) &&
                 !(user->hasTrait<xf::Pointwise>() &&
                   use.getOperandNumber() == 0 &&
                   collect(user->getResult(0)))) {
        return false;
      }
    }
    return true;
  }

  void change(Value value) {
    value.setType(ordered(value.getType()));
    if (Operation *maker = value.getDefiningOp())
      withLabels(maker,
                 [&](auto op) { op.setLabelsAttr(ordered(op.getLabels())); });
    for (OpOperand &use : value.getUses())
      withLabels(use.getOwner(), [&](auto op) {
        if (use.getOperandNumber() == 0)
          op.setLhsLabelsAttr(ordered(op.getLhsLabels()));
        else
          op.setRhsLabelsAttr(ordered(op.getRhsLabels()));
      });
  }

  xf::ScanOp scan;
  const unsigned number, lane;
  llvm::SetVector<Value> values;
};

struct OrderStates : stage::impl::OrderStatesBase<OrderStates> {
  using OrderStatesBase::OrderStatesBase;

  void runOnOperation() override {
    getOperation().walk([&](xf::ScanOp scan) {
      auto axes = xf::LaneAxes::of(scan);
      for (unsigned number = 0; axes && number < scan.getStates().size();
           ++number) {
        Value state = scan.getStates()[number];
        const unsigned rank = xf::getShape(state.getType()).size();
        for (unsigned axis = 0; axis + 1 < rank; ++axis)
          if (axes->classOf(state, axis) == axes->lane &&
              Orderer(scan, number, axis).run()) {
            ++ordered;
            break;
          }
      }
    });
  }
};

} // namespace
