// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the last operations of a step only for the requested rows.
//
// Before:
//   %2 = xf.unit_rms %1 : <n, 64>
//   %3 = xf.contract %2[r, k], %U[k, c] -> [r, c] : <n, 64>, <64, 160>
//   %4 = xf.gather %3[%wanted] : <n, 160>, <n.wanted>
// After:
//   %2 = xf.gather %1[%wanted] : <n, 64>, <n.wanted>
//   %3 = xf.unit_rms %2 : <n.wanted, 64>
//   %4 = xf.contract %3[r, k], %U[k, c] -> [r, c] : <n.wanted, 64>, <64, 160>
//
// Exact: operations whose batch law is Rows process every row independently, so
// gathering rows before or after them is equivalent. Text generation requests
// only the last row, and the contraction with the vocabulary is the widest one
// of a model.

#include "compiler/stage/WantedRows.h"

#include "compiler/stage/BindingTimes.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

namespace {

/// Moves a selection of rows from the end of an entry towards its beginning. A
/// value that several results need is selected once.
class RowSelection {
public:
  RowSelection(StringAttr length, Value wanted)
      : length(length), wanted(wanted),
        wantedLength(cast<StringAttr>(xf::getShape(wanted.getType())[0])) {}

  /// The wanted rows of `value`, recomputed or gathered.
  Value rowsOf(Value value) {
    auto [found, isNew] = selected.try_emplace(value);
    if (!isNew)
      return found->second;
    Value rows =
        canMove(value) ? moved(value.getDefiningOp()) : gathered(value);
    return selected[value] = rows;
  }

private:
  /// Whether the first axis of a type, and no other one, is the rows.
  bool areOutermost(Type type) const {
    SmallVector<unsigned> axes = axesAlong(type, length);
    return axes.size() == 1 && axes[0] == 0;
  }

  /// Whether the operation that computes `value` can run on the wanted rows
  /// alone. Operations inside of loops stay: the caches of the layers need all
  /// rows.
  bool canMove(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || isa<xf::LayersOp>(op) ||
        op->getBlock() != wanted.getParentBlock())
      return false;
    auto law = dyn_cast<xf::BatchLawInterface>(op);
    return law && law.getBatchLaw() == xf::BatchLaw::Rows &&
           llvm::all_of(op->getOperandTypes(), [&](Type type) {
             return axesAlong(type, length).empty() ||
                    (areOutermost(type) && isa<xf::RealType>(type));
           });
  }

  /// A copy of `op` on the wanted rows of its operands.
  Value moved(Operation *op) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!axesAlong(operand.getType(), length).empty())
        mapping.map(operand, rowsOf(operand));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op, mapping);
    Value result = copy->getResult(0);
    result.setType(withAxes(result.getType(), {0}, wantedLength));
    return result;
  }

  /// The wanted rows, selected right after `value` is computed.
  Value gathered(Value value) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return xf::GatherOp::create(builder, value.getLoc(), value, wanted);
  }

  StringAttr length;
  Value wanted;
  StringAttr wantedLength;
  llvm::DenseMap<Value, Value> selected;
};

} // namespace

void stage::selectWantedRows(Operation *end, StringAttr length, Value wanted) {
  RowSelection selection(length, wanted);
  for (OpOperand &operand : end->getOpOperands())
    operand.set(selection.rowsOf(operand.get()));
}
