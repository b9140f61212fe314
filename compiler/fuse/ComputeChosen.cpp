// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-compute-chosen: does not compute rows that are multiplied with zero.
//
//   Σ_e G[e] · f_e(x), with G[e] = 0 for all but the chosen experts of a row:
//   each f_e is computed only for the rows that chose it.
//
// Before:
//   %y = … xf.contract %x[n, k], %W[k, c] -> [n, c] …        of <n, 64>
//   %z = xf.multiply %g[n], %y[n, c] -> [n, c]
// After:
//   %r  = xf.running_count %g : <n>
//   %x' = xf.compress %x by %r : <n, 64>, <n> -> <chosen0, 64>
//   %y' = … xf.contract %x'[n, k], %W[k, c] -> [n, c] …      of <chosen0, 64>
//   %s  = xf.expand %y' by %r : <chosen0, 64>, <n>
//   %z  = xf.multiply %g[n], %s[n, c] -> [n, c]
//
// Exact: every operation between %x and %y processes each row independently, so
// a chosen row has the same value as before; for a row that was not chosen, 0 ·
// y = 0. That %g is zero in many rows follows from the equations (Zeros.h).
// Which rows are chosen is known when the program runs; if none is, the weights
// are not read.

#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Zeros.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/IR/IRMapping.h>

namespace transfold::fuse {
#define GEN_PASS_DEF_COMPUTECHOSEN
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;

namespace {

/// The first axis of a value, along which rows are chosen; null for a scalar.
Attribute rowsOf(Value value) {
  ArrayRef<Attribute> shape = xf::getShape(value.getType());
  return shape.empty() ? Attribute() : shape[0];
}

/// Whether any axis of `value` is `rows`.
bool hasRows(Value value, Attribute rows) {
  return llvm::is_contained(xf::getShape(value.getType()), rows);
}

/// Whether row n of the result depends only on row n of each operand that has
/// rows.
bool treatsRowsAlone(Operation *op, Attribute rows) {
  if (!op->hasTrait<xf::Pointwise>() && !op->hasTrait<xf::RowWise>() &&
      !isa<xf::ContractOp>(op))
    return false;
  if (cast<xf::BatchLawInterface>(op).getBatchLaw() != xf::BatchLaw::Rows)
    return false;
  // An operand without rows must be the same for all sequences, whose rows are
  // chosen together.
  auto isFirstAxis = [&](Value value) {
    return hasRows(value, rows)
               ? rowsOf(value) == rows &&
                     llvm::count(xf::getShape(value.getType()), rows) == 1
               : xf::isWeightOnly(value);
  };
  return rowsOf(op->getResult(0)) == rows && isFirstAxis(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), isFirstAxis);
}

/// The operations that compute `last` row by row and are used for nothing else.
llvm::SetVector<Operation *> operationsOnRows(Operation *last, Attribute rows) {
  llvm::SetVector<Operation *> found;
  if (!last->hasOneUse() || !treatsRowsAlone(last, rows))
    return found;
  found.insert(last);
  for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode())
    if (op->getNumResults() == 1 && !op->use_empty() &&
        llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return found.contains(user); }) &&
        treatsRowsAlone(op, rows))
      found.insert(op);
  return found;
}

/// Whether there is a contraction with a weight: it costs more than moving the
/// rows.
bool hasContractionWithWeight(const llvm::SetVector<Operation *> &ops) {
  return llvm::any_of(ops, [](Operation *op) {
    auto product = dyn_cast<xf::ContractOp>(op);
    return product && product.getRhs().getDefiningOp<xf::WeightOp>();
  });
}

/// Moves the addition of `term` to a sum over experts up to where its operands
/// are available, so that the memory of one expert is free for the next.
void addEarly(Operation *term) {
  if (!term->hasOneUse() || !isa<xf::AddOp>(*term->user_begin()))
    return;
  Operation *sum = *term->user_begin(), *last = term;
  for (Value other : sum->getOperands())
    if (Operation *op = other.getDefiningOp();
        op && op->getBlock() == term->getBlock() && last->isBeforeInBlock(op))
      last = op;
  if (last->getBlock() == sum->getBlock())
    sum->moveAfter(last);
}

struct ComputeChosen : fuse::impl::ComputeChosenBase<ComputeChosen> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<xf::EntryOp>()) {
      taken.clear();
      for (StringAttr length : entry.getLengths())
        taken.insert(length);
      SmallVector<xf::MultiplyOp> products;
      entry.walk([&](xf::MultiplyOp op) { products.push_back(op); });
      for (xf::MultiplyOp product : products)
        compute(product);
    }
  }

  /// Rewrites the product of a value with one scalar per row, if that scalar is
  /// zero unless the row is chosen.
  void compute(xf::MultiplyOp product) {
    for (OpOperand &operand : product->getOpOperands()) {
      bool isRight = operand.getOperandNumber();
      Value weight = isRight ? product.getLhs() : product.getRhs();
      ArrayAttr labels =
                    isRight ? product.getRhsLabels() : product.getLhsLabels(),
                own = isRight ? product.getLhsLabels() : product.getRhsLabels();
      // The weight is one scalar for each row.
      if (own.size() != 1 || labels.empty() || own[0] != labels[0] ||
          xf::getNumber(rowsOf(weight)) || !fuse::isZeroUnlessChosen(weight))
        continue;
      Operation *last = operand.get().getDefiningOp();
      if (!last || last->getBlock() != product->getBlock())
        continue;
      auto ops = operationsOnRows(last, rowsOf(weight));
      if (hasContractionWithWeight(ops))
        return computeChosen(operand, weight, ops);
    }
  }

  /// Gathers the rows that the operations read, runs copies of them on these
  /// rows, and scatters the result. An input that several operations read is
  /// gathered once.
  void computeChosen(OpOperand &operand, Value weight,
                     const llvm::SetVector<Operation *> &ops) {
    // `ops` is ordered from last to first, as the operations were found.
    Operation *product = operand.getOwner();
    OpBuilder builder(product);
    Location loc = product->getLoc();
    Attribute rows = rowsOf(weight), chosen = freshLength();
    auto withChosen = [&](Type type) {
      SmallVector<Attribute> shape(xf::getShape(type));
      shape[0] = chosen;
      return xf::RealType::get(type.getContext(), shape);
    };
    Value ranks = xf::RunningCountOp::create(builder, loc, weight);
    IRMapping mapping;
    for (Operation *op : llvm::reverse(ops)) {
      for (Value input : op->getOperands())
        if (hasRows(input, rows) && !mapping.contains(input))
          mapping.map(input, xf::CompressOp::create(builder, loc,
                                                    withChosen(input.getType()),
                                                    input, ranks)
                                 .getResult());
      Operation *copy = builder.clone(*op, mapping);
      Value result = copy->getResult(0);
      result.setType(withChosen(result.getType()));
    }
    operand.set(xf::ExpandOp::create(
        builder, loc, mapping.lookup(ops.front()->getResult(0)), ranks));
    for (Operation *op : ops)
      op->erase();
    addEarly(product);
    ++grouped;
  }

  /// A name for the number of chosen rows: experts choose different numbers, so
  /// each has its own.
  StringAttr freshLength() {
    StringAttr name;
    unsigned number = 0;
    do
      name =
          StringAttr::get(&getContext(), "chosen" + std::to_string(number++));
    while (!taken.insert(name).second);
    return name;
  }

  llvm::DenseSet<Attribute> taken; // lengths of the entry
};

} // namespace
